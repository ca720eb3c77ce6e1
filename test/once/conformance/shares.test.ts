import assert from 'node:assert/strict';
import { setDisabled } from '#core/access/user-changes.ts';
import { NotFound, SharesForbidden } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { endShare, openShare } from '#core/shares/change-shares.ts';
import { changeTeam, deleteTeam } from '#core/teams/team-changes.ts';
import {
  deliver,
  deliverMany,
  newAccount,
  newDomain,
  newUser,
  now,
  onEachStore,
  wholePage,
} from './scene.ts';
import { at, findShare, share } from './shares.ts';

onEachStore(
  'a link is found by its hash until its time, and opened for the first time once',
  async (scene) => {
    const { store, owner, account } = scene;
    const open = (id: Id, ms: number) =>
      store.rows.change(openShare, { team: owner, share: id, now: at(ms) });
    const messageId = await deliver(store, account);
    const first = await share(store, owner, 'a', { accountId: account.id });
    const second = await share(store, owner, 'b', { messageId, accountId: null, expiresAt: at(50) });
    assert.deepEqual(await findShare(store, 'a', at(99)), first);
    assert.deepEqual(await findShare(store, 'b', at(49)), second);
    assert.equal(await findShare(store, 'b', at(50)), null);
    assert.equal(await findShare(store, 'c', at(1)), null);
    assert.equal(await open(first.id, 3), true);
    assert.equal(await open(first.id, 4), false);
    const opened = { ...first, openedAt: at(3) };
    assert.deepEqual(await findShare(store, 'a', at(9)), opened);
    const { items, total } = await store.rows.list('shares', { team: owner, now: at(9) }, wholePage);
    assert.deepEqual(
      items.map(({ creator: _, ...row }) => row),
      [second, opened],
    );
    assert.ok(items.every(({ creator }) => creator?.includes('@')));
    assert.equal(total, 2);
    assert.deepEqual(
      (await store.rows.list('shares', { team: owner, now: at(50) }, wholePage)).items.map(({ id }) => id),
      [first.id],
    );

    await store.upkeep({ do: 'remove-expired-secrets', now: at(50) }, 10);
    assert.equal(await findShare(store, 'b', at(1)), null);
    assert.deepEqual(await findShare(store, 'a', at(1)), opened);
  },
);

onEachStore(
  'links end by revocation, a stranger’s are not there, and a quota counts those that are valid',
  async (scene) => {
    const { store, owner, account } = scene;
    const { id } = await share(store, owner, 'a', { accountId: account.id, most: 1 });
    await assert.rejects(
      share(store, owner, 'b', { most: 1 }),
      /the limit of 1 share links has been reached/,
    );
    await share(store, owner, 'b', { most: 1, now: at(100), expiresAt: at(200) });
    const stranger = await newUser(store, 'stranger@app.test');
    const by = (team: Id) => store.rows.change(endShare, { team, share: id, now: at(2) });
    await assert.rejects(by(stranger), NotFound);
    assert.deepEqual((await store.rows.list('shares', { team: stranger, now: at(2) }, wholePage)).items, []);
    await by(owner);
    assert.equal(await findShare(store, 'a', at(2)), null);
    await assert.rejects(by(owner), NotFound);
  },
);

onEachStore(
  'links of mail that is gone are not listed, leave room for others, and end when the next is made',
  async ({ store, opened, owner, domain, account }) => {
    const made = await store.mailboxes.insert(owner, account.id, 'Old', at(1));
    assert.ok(made !== null && made !== 'taken');
    const other = await newAccount(store, owner, domain.id, 'other@app.test');
    const [deleted = 0, filed = 0, kept = 0] = await deliverMany(store, account, 3);
    const ofDomain = await newDomain(store, owner, 'gone.test');
    const within = await deliver(store, await newAccount(store, owner, ofDomain.id, 'a@gone.test'));
    const most = 6;
    for (const messageId of [deleted, filed, within, kept])
      await share(store, owner, `message ${messageId}`, { messageId, accountId: null, most });
    for (const { id: accountId } of [other, account])
      await share(store, owner, `account ${accountId}`, { accountId, most });
    const listed = async () => {
      const { items, total } = await store.rows.list('shares', { team: owner, now: at(2) }, wholePage);
      assert.equal(total, items.length);
      return items.map(({ messageId, accountId }) => messageId ?? accountId);
    };
    assert.deepEqual(await listed(), [account.id, other.id, kept, within, filed, deleted]);
    await assert.rejects(share(store, owner, 'beyond', { accountId: account.id, most }), /limit of 6/);

    await store.messages.remove(owner, deleted, now());
    await store.messages.update(owner, filed, { mailboxId: made.id }, now());
    await store.mailboxes.softDelete(owner, account.id, made.id, new Date());
    await store.domains.softDelete(owner, ofDomain.id, new Date());
    await store.accounts.softDelete(owner, other.id, new Date());
    assert.deepEqual(await listed(), [account.id, kept]);
    const { share: before, shares = before } = await opened.count();
    await share(store, owner, 'next', { accountId: account.id, most: 3 });
    assert.deepEqual(await listed(), [account.id, account.id, kept]);
    const { share: after, shares: left = after } = await opened.count();
    assert.deepEqual([shares, left], [6, 3], 'rows in the store');
  },
);

onEachStore('links end with the team that forbids them, their maker and the team', async (scene) => {
  const { store, owner } = scene;
  const find = (hash: string) => findShare(store, hash, at(2));
  const forbid = (allowsShares: boolean) => store.rows.change(changeTeam, { team: owner, allowsShares });
  await share(store, owner, 'a');
  assert.equal((await forbid(false)).allowsShares, false);
  assert.equal((await store.teams.find(owner))?.allowsShares, false);
  assert.equal(await find('a'), null);
  await assert.rejects(share(store, owner, 'b'), SharesForbidden);
  assert.equal((await forbid(true)).allowsShares, true);
  assert.equal((await store.teams.find(owner))?.allowsShares, true);
  for (const clients of [['gmail', 'outlook.windows'], null]) {
    await store.rows.change(changeTeam, { team: owner, clients });
    assert.deepEqual((await store.teams.find(owner))?.clients, clients);
  }

  await share(store, owner, 'c');
  await store.rows.change(setDisabled, { user: owner, at: at(3) });
  assert.equal(await find('c'), null);
  await store.rows.change(setDisabled, { user: owner, at: null });
  await share(store, owner, 'd');
  await store.rows.change(deleteTeam, { team: owner, now: at(4) });
  assert.equal(await find('d'), null);
});
