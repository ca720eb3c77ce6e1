import assert from 'node:assert/strict';
import type { Orphan } from '#core/managers/manager.ts';
import { never } from '#core/managers/manager.ts';
import { newUser, onEachStore } from './scene.ts';

onEachStore("the first cluster that claims a user's things has them", async ({ store, opened, owner }) => {
  const { managers, rows } = store;
  assert.deepEqual(await rows.read('claims', {}), new Map());
  assert.equal(await managers.claim(owner, 'a'), 'a');
  assert.equal(await managers.claim(owner, 'a'), 'a');
  assert.equal(await managers.claim(owner, 'b'), 'a');
  const other = await newUser(store, 'namespace/other');
  const claimed = await Promise.all(['c', 'd', 'e'].map((cluster) => managers.claim(other, cluster)));
  assert.equal(new Set(claimed).size, 1, 'one of several at once');
  const again = await opened.reopen();
  assert.deepEqual(
    await again.rows.read('claims', {}),
    new Map([
      [owner, 'a'],
      [other, claimed[0] ?? ''],
    ]),
  );
});

onEachStore('an orphan keeps the time at which it was first noted', async ({ store, opened, owner }) => {
  const { managers, rows } = store;
  const since = new Date('2026-11-21T10:00:00.123Z');
  const domain: Orphan = { owner, kind: 'domain', id: 7, since };
  const account: Orphan = { owner, kind: 'account', id: 7, since };
  await managers.markOrphan(domain, since);
  await managers.markOrphan(domain, new Date());
  await managers.markOrphan(account, since);
  const byKind = (orphans: Orphan[]) => orphans.sort((a, b) => (a.kind < b.kind ? -1 : 1));
  assert.deepEqual(byKind(await rows.read('orphans', {})), [account, domain]);
  assert.deepEqual(await rows.read('orphans', { orphan: domain }), [domain]);
  assert.deepEqual(
    await rows.read('orphans', { orphan: { ...domain, kind: 'account' } }),
    account.id === domain.id ? [account] : [],
  );
  const kept = { ...account, kind: 'member' as const };
  await managers.markOrphan(kept, never);
  assert.deepEqual((await rows.read('orphans', { orphan: kept }))[0]?.since, never);
  await managers.markOrphan(kept, null);
  await managers.markOrphan(account, null);
  await managers.markOrphan(account, null);
  const again = await opened.reopen();
  assert.deepEqual(await again.rows.read('orphans', {}), [domain]);
});
