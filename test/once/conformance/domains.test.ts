import assert from 'node:assert/strict';
import type { Verification } from '#core/domains/domain.ts';
import { unverified, verifiedByHand } from '#core/domains/verdict.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import { accountInput, newDomain, newUser, onEachStore, wholePage } from './scene.ts';

onEachStore('a domain is stored as inserted, and only its owner sees it', async ({ store, owner }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const createdAt = new Date('2026-11-21T10:00:00.123Z');
  const input = {
    name: 'x.test',
    active: false,
    verification: verifiedByHand(),
    managedBy: 'team/mail',
    assumedClientIp: '203.0.113.7',
    createdAt,
  };
  const domain = await store.domains.insert(owner, input);
  assert.ok(domain !== null && domain !== 'overlaps');
  assert.deepEqual(domain, { id: domain.id, owner, ...input, updatedAt: createdAt });
  assert.deepEqual(await store.rows.read('domain', { team: owner, domain: domain.id }), domain);
  assert.deepEqual(await store.rows.read('domain', { team: owner, domain: 'x.test' }), domain);
  assert.equal(await store.rows.read('domain', { team: stranger, domain: domain.id }), null);
  assert.equal(await store.rows.read('domain', { team: stranger, domain: 'x.test' }), null);
  assert.equal(await store.domains.update(stranger, domain.id, { active: true }, createdAt), null);
  assert.equal(await store.domains.softDelete(stranger, domain.id, createdAt), false);
  assert.deepEqual(
    await store.rows.read('domain', { team: owner, domain: domain.id }),
    domain,
    'a stranger changed nothing',
  );
  assert.equal(await store.rows.read('domain', { team: owner, domain: 4711 }), null);
  assert.equal(await store.domains.update(owner, 4711, { active: true }, createdAt), null);
});

onEachStore(
  'a name is unique among the domains of all users that are not deleted',
  async ({ store, owner, domain }) => {
    const stranger = await newUser(store, 'stranger@team.test');
    const again = { ...domain, createdAt: new Date() };
    assert.equal(await store.domains.insert(owner, again), null);
    assert.equal(await store.domains.insert(stranger, again), null);
    const newest = await newDomain(store, owner, 'newest.test');
    assert.equal(await store.domains.insert(owner, { ...newest, createdAt: new Date() }), null);
    assert.equal(await store.domains.softDelete(owner, domain.id, new Date()), true);
    assert.equal(await store.domains.softDelete(owner, domain.id, new Date()), false);
    const taken = await store.domains.insert(stranger, again);
    assert.ok(taken && taken !== 'overlaps' && taken.id !== domain.id, 'an id is never used again');
    assert.equal(await store.rows.read('domain', { team: owner, domain: domain.id }), null);
  },
);

onEachStore(
  'domains are listed oldest first, by name, by activity, by page',
  async ({ store, owner, domain }) => {
    const others = [];
    for (const name of ['c.test', 'b.test', 'a.test']) others.push(await newDomain(store, owner, name));
    await store.domains.update(owner, others[1]?.id ?? 0, { active: false }, new Date());
    await newDomain(store, await newUser(store, 'stranger@team.test'), 'strange.test');
    const names = async (filter: { name?: string; active?: boolean }, page = wholePage) => {
      const { items, total } = await store.rows.list('domains', { team: owner, ...filter }, page);
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

onEachStore('a change writes its fields and the time', async ({ store, owner, domain }) => {
  const now = new Date('2027-01-01T00:00:00Z');
  assert.equal(domain.active, true);
  const unchanged = await store.domains.update(owner, domain.id, { verification: domain.verification }, now);
  assert.deepEqual(unchanged, { ...domain, updatedAt: now });
  const changed = await store.domains.update(owner, domain.id, { active: false }, now);
  assert.deepEqual(changed, { ...domain, active: false, updatedAt: now });
  const managedBy = 'team/renamed';
  assert.equal((await store.domains.update(owner, domain.id, { managedBy }, now))?.managedBy, managedBy);
  const verification = verifiedByHand();
  assert.deepEqual(await store.domains.update(owner, domain.id, { verification }, now), {
    ...domain,
    active: false,
    managedBy,
    verification,
    updatedAt: now,
  });
});

onEachStore('domains due for a check come longest due first', async ({ store, owner, domain }) => {
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
  const deleted = await due('deleted.test', '2026-01-01');
  await store.domains.softDelete(owner, deleted, new Date());
  const stranger = await newUser(store, 'stranger@team.test');
  const names = async (limit: number, except: number[] = []) => {
    const domains = await store.domains.dueForCheck(new Date('2026-01-02'), limit, except);
    return domains.map(({ name }) => name);
  };
  assert.deepEqual(await names(10), ['first.test', 'second.test']);
  assert.deepEqual(await names(1), ['first.test']);
  assert.deepEqual(await names(10, [owner]), []);
  assert.deepEqual(await names(1, [stranger]), ['first.test']);
});

onEachStore('a verdict is written once for the state that was read', async ({ store, owner, domain }) => {
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
  assert.deepEqual(
    (await store.rows.read('domain', { team: owner, domain: domain.id }))?.verification,
    verdict,
  );
  assert.equal(await store.domains.writeVerdict(domain.id, verdict.checkedAt, unverified(new Date())), true);
  await store.domains.softDelete(owner, domain.id, new Date());
  assert.equal(await store.domains.writeVerdict(domain.id, null, verdict), false);
});

onEachStore('a check that a person has overtaken changes nothing', async ({ store, owner, domain }) => {
  const byHand = verifiedByHand();
  await store.domains.update(owner, domain.id, { verification: byHand }, new Date());
  const failed = { ...unverified(new Date()), status: 'failed', refusals: 3 } as const;
  assert.equal(await store.domains.writeVerdict(domain.id, null, failed), false);
  assert.deepEqual(
    (await store.rows.read('domain', { team: owner, domain: domain.id }))?.verification,
    byHand,
  );
});

onEachStore(
  'managed domains and accounts are listed for all users, without deleted ones',
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
    assert.ok(mine && mine !== 'overlaps' && theirs && theirs !== 'overlaps' && gone && gone !== 'overlaps');
    await store.domains.softDelete(owner, gone.id, new Date());
    const listed = await store.rows.read('managedDomains', {});
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
    const managed = await store.rows.read('managedAccounts', {});
    assert.deepEqual(managed.map(({ managedBy }) => managedBy).sort(), ['b/a', 'qa/a']);
    const whole = await store.rows.read('managedAccountsWithMailboxes', {});
    assert.deepEqual(
      whole.map(({ mailboxes }) => mailboxes.map(({ path }) => path)),
      whole.map(() => [...systemMailboxes]),
    );
    assert.equal(accounts.length, 3);
  },
);

/** Cases of a requested name while `held` is registered, and whether another user and the same user may have it. */
const related: [held: string, wanted: string, byStranger: boolean, byOwner: boolean][] = [
  ['held.test', 'mail.held.test', false, true],
  ['held.test', 'a.b.c.held.test', false, true],
  ['mail.held.test', 'held.test', false, true],
  ['a.b.c.held.test', 'held.test', false, true],
  ['a.b.c.held.test', 'c.held.test', false, true],
  ['mail.held.test', 'web.held.test', true, true],
  ['held.test', 'xheld.test', true, true],
  ['held.test', 'held-2.test', true, true],
  ['held.test', 'held.test.example', true, true],
  ['held.co.test', 'other.co.test', true, true],
];

onEachStore('a name above or below that of another owner is refused', async ({ store, owner }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const insert = (who: number, name: string) =>
    store.domains.insert(who, {
      name,
      active: true,
      verification: verifiedByHand(),
      managedBy: null,
      createdAt: new Date(),
    });
  for (const [held, wanted, byStranger, byOwner] of related) {
    const text = `${wanted} beside ${held}`;
    const first = await newDomain(store, owner, held);
    for (const [who, allowed] of [
      [stranger, byStranger],
      [owner, byOwner],
    ] as const) {
      const made = await insert(who, wanted);
      assert.equal(made === 'overlaps', !allowed, text);
      if (made !== null && made !== 'overlaps') await store.domains.softDelete(who, made.id, new Date());
    }
    await store.domains.softDelete(owner, first.id, new Date());
    const free = await insert(stranger, wanted);
    assert.ok(free !== null && free !== 'overlaps', `${text} that is deleted`);
    await store.domains.softDelete(stranger, free.id, new Date());
  }
});

onEachStore('one of several users that want related names at once gets one', async ({ store }) => {
  const users = await Promise.all([1, 2, 3, 4].map((n) => newUser(store, `user${n}@team.test`)));
  for (let round = 0; round < 3; round += 1) {
    const names = [`r${round}.test`, `a.r${round}.test`, `b.a.r${round}.test`, `r${round}.test`];
    const insert = async (who: number, index: number) =>
      store.domains.insert(who, {
        name: names[index] ?? '',
        active: true,
        verification: verifiedByHand(),
        managedBy: null,
        createdAt: new Date(),
      });
    const made = await Promise.all(users.map(insert));
    assert.equal(made.filter((domain) => domain !== null && domain !== 'overlaps').length, 1);
  }
});

onEachStore('a name is free if nobody has it, and no other user a related one', async ({ store, owner }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  await newDomain(store, stranger, 'a.shop.test');
  const free = async (who: number, name: string) => store.rows.read('isFree', { team: who, domain: name });
  assert.deepEqual(
    [await free(owner, 'app.test'), await free(owner, 'a.shop.test'), await free(owner, 'shop.test')],
    [false, false, false],
  );
  assert.deepEqual(
    [await free(owner, 'b.a.shop.test'), await free(stranger, 'shop.test'), await free(owner, 'b.shop.test')],
    [false, true, true],
  );
});
