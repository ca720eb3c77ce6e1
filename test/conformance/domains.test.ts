import assert from 'node:assert/strict';
import type { Verification } from '#core/domains/domain.ts';
import { unverified, verifiedByHand } from '#core/domains/verdict.ts';
import { accountInput, newDomain, newUser, onEachStore, wholePage } from './scene.ts';

onEachStore('a domain is what was inserted, and only its owner sees it', async ({ store, owner }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const createdAt = new Date('2026-11-21T10:00:00.123Z');
  const input = {
    name: 'x.test',
    active: false,
    verification: verifiedByHand(),
    managedBy: 'team/mail',
    createdAt,
  };
  const domain = await store.domains.insert(owner, input);
  assert.ok(domain);
  assert.deepEqual(domain, { id: domain.id, owner, ...input, updatedAt: createdAt });
  assert.deepEqual(await store.domains.find(owner, domain.id), domain);
  assert.deepEqual(await store.domains.findByName(owner, 'x.test'), domain);
  assert.equal(await store.domains.find(stranger, domain.id), null);
  assert.equal(await store.domains.findByName(stranger, 'x.test'), null);
  assert.equal(await store.domains.update(stranger, domain.id, { active: true }, createdAt), null);
  assert.equal(await store.domains.bury(stranger, domain.id, createdAt), false);
  assert.equal(await store.domains.find(owner, 4711), null);
});

onEachStore('a name is unique among the living, whoever asks', async ({ store, owner, domain }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const again = { ...domain, createdAt: new Date() };
  assert.equal(await store.domains.insert(owner, again), null);
  assert.equal(await store.domains.insert(stranger, again), null);
  assert.equal(await store.domains.bury(owner, domain.id, new Date()), true);
  assert.equal(await store.domains.bury(owner, domain.id, new Date()), false);
  const taken = await store.domains.insert(stranger, again);
  assert.ok(taken && taken.id !== domain.id, 'an id is never used again');
  assert.equal(await store.domains.find(owner, domain.id), null);
});

onEachStore(
  'domains are listed oldest first, by name, by activity, by page',
  async ({ store, owner, domain }) => {
    const others = [];
    for (const name of ['c.test', 'b.test', 'a.test']) others.push(await newDomain(store, owner, name));
    await store.domains.update(owner, others[1]?.id ?? 0, { active: false }, new Date());
    await newDomain(store, await newUser(store, 'stranger@team.test'), 'strange.test');
    const names = async (filter: { name?: string; active?: boolean }, page = wholePage) => {
      const { items, total } = await store.domains.list(owner, filter, page);
      return [items.map((item) => item.name), total];
    };
    assert.deepEqual(await names({}), [[domain.name, 'c.test', 'b.test', 'a.test'], 4]);
    assert.deepEqual(await names({ name: 'b.test' }), [['b.test'], 1]);
    assert.deepEqual(await names({ name: 'strange.test' }), [[], 0]);
    assert.deepEqual(await names({ active: false }), [['b.test'], 1]);
    assert.deepEqual(await names({ active: true }), [[domain.name, 'c.test', 'a.test'], 3]);
    assert.deepEqual(await names({}, { page: 2, limit: 3 }), [['a.test'], 4]);
    assert.deepEqual(await names({}, { page: 9, limit: 3 }), [[], 4]);
  },
);

onEachStore('a change writes what it names and the time', async ({ store, owner, domain }) => {
  const now = new Date('2027-01-01T00:00:00Z');
  const changed = await store.domains.update(owner, domain.id, { active: false }, now);
  assert.deepEqual(changed, { ...domain, active: false, updatedAt: now });
  const verification = verifiedByHand();
  assert.deepEqual(await store.domains.update(owner, domain.id, { verification }, now), {
    ...domain,
    active: false,
    verification,
    updatedAt: now,
  });
});

onEachStore('what is due for a check comes longest due first', async ({ store, owner, domain }) => {
  const due = async (name: string, nextCheckAt: string | null) => {
    const { id } = await newDomain(store, owner, name);
    const verification = {
      ...unverified(new Date()),
      nextCheckAt: nextCheckAt && new Date(nextCheckAt),
    } as Verification;
    await store.domains.update(owner, id, { verification }, new Date());
    return id;
  };
  await store.domains.update(owner, domain.id, { verification: verifiedByHand() }, new Date());
  await due('later.test', '2030-01-01');
  await due('second.test', '2026-01-02');
  await due('first.test', '2026-01-01');
  const buried = await due('buried.test', '2026-01-01');
  await store.domains.bury(owner, buried, new Date());
  const names = async (limit: number) => {
    const domains = await store.domains.dueForCheck(new Date('2026-01-02'), limit);
    return domains.map(({ name }) => name);
  };
  assert.deepEqual(await names(10), ['first.test', 'second.test']);
  assert.deepEqual(await names(1), ['first.test']);
});

onEachStore('a verdict is written once for what its checker read', async ({ store, owner, domain }) => {
  const verdict: Verification = {
    status: 'verified',
    source: 'mx',
    detail: 'MX points at mx.app.test',
    refusals: 0,
    checkedAt: new Date('2026-11-21T10:00:00Z'),
    nextCheckAt: new Date('2026-11-21T10:10:00Z'),
  };
  const written = await Promise.all([
    store.domains.writeVerdict(domain.id, null, verdict),
    store.domains.writeVerdict(domain.id, null, verdict),
  ]);
  assert.deepEqual(written.sort(), [false, true]);
  assert.deepEqual((await store.domains.find(owner, domain.id))?.verification, verdict);
  assert.equal(await store.domains.writeVerdict(domain.id, verdict.checkedAt, unverified(new Date())), true);
  await store.domains.bury(owner, domain.id, new Date());
  assert.equal(await store.domains.writeVerdict(domain.id, null, verdict), false);
});

onEachStore('a check that a person has overtaken changes nothing', async ({ store, owner, domain }) => {
  const byHand = verifiedByHand();
  await store.domains.update(owner, domain.id, { verification: byHand }, new Date());
  const failed = { ...unverified(new Date()), status: 'failed', refusals: 3 } as const;
  assert.equal(await store.domains.writeVerdict(domain.id, null, failed), false);
  assert.deepEqual((await store.domains.find(owner, domain.id))?.verification, byHand);
});

onEachStore(
  'those that Kubernetes manages are listed for all users, without the buried',
  async ({ store, owner, domain }) => {
    const { id: _, ...rest } = domain;
    const stranger = await newUser(store, 'stranger@team.test');
    const mine = await store.domains.insert(owner, { ...rest, name: 'mine.test', managedBy: 'qa/mine' });
    const theirs = await store.domains.insert(stranger, {
      ...rest,
      name: 'theirs.test',
      managedBy: 'b/theirs',
    });
    const gone = await store.domains.insert(owner, { ...rest, name: 'gone.test', managedBy: 'qa/gone' });
    assert.ok(mine && theirs && gone);
    await store.domains.bury(owner, gone.id, new Date());
    const listed = await store.domains.listManaged();
    assert.deepEqual(
      new Map(listed.map((item) => [item.id, item])),
      new Map([mine, theirs].map((item) => [item.id, item])),
    );
    const accounts = [];
    for (const [whose, { id: domainId }, managedBy] of [
      [owner, mine, 'qa/a'],
      [stranger, theirs, 'b/a'],
      [owner, mine, null],
    ] as const) {
      const address =
        `${managedBy ?? 'x/api'}`.replace('/', '.') + (whose === owner ? '@mine.test' : '@theirs.test');
      accounts.push(await store.accounts.insert(whose, accountInput(domainId, address, { managedBy })));
    }
    const managed = await store.accounts.listManaged();
    assert.deepEqual(managed.map(({ managedBy }) => managedBy).sort(), ['b/a', 'qa/a']);
    assert.equal(accounts.length, 3);
  },
);
