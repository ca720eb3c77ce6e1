import assert from 'node:assert/strict';
import type { Id } from '#core/ids.ts';
import { mail } from './mail.ts';
import { begin, begun, goOn, quotas } from './moving.ts';
import {
  accountInput,
  clearAll,
  countsOf,
  deliverMany,
  idsOf,
  newAccount,
  newDomain,
  newUser,
  onEachStore,
  target,
  wholePage,
} from './scene.ts';

onEachStore('a move that would break a rule is refused', async ({ store, owner, domain, account }) => {
  const to = await newUser(store, 'other@team.test');
  const refused = async (most = quotas) =>
    store.moves.begin(owner, domain.id, to, { quotas: most, limit: 500, now: new Date() });
  const theirs = await newDomain(store, to, 'theirs.test');
  await newAccount(store, to, theirs.id, 'x@theirs.test', { capture: true });
  assert.deepEqual(await refused({ domains: 1, accounts: 9 }), {
    ...{ field: 'to', limit: 'owned.domains' },
    message: 'already has 1 domains, but the limit is 1',
  });
  assert.deepEqual(await refused({ domains: 2, accounts: 1 }), {
    ...{ field: 'to', limit: 'owned.accounts' },
    message: 'would have 2 accounts, but the limit is 1',
  });
  await store.accounts.update(owner, account.id, { capture: true }, new Date());
  assert.deepEqual(await refused(), {
    ...{ field: 'to' },
    message: 'already has a capture account (x@theirs.test); qa@app.test would be a second one',
  });
  await store.accounts.update(owner, account.id, { capture: false }, new Date());
  for (const name of ['mail.app.test', 'a.b.app.test']) {
    const related = await newDomain(store, owner, name);
    const message = `is a parent or subdomain of ${name}, which would stay in another team`;
    assert.deepEqual(await refused(), { field: 'domain', message });
    await store.domains.softDelete(owner, related.id, new Date());
  }
  const managed = await newAccount(store, owner, domain.id, 'k@app.test', { managedBy: 'shop/k' });
  assert.deepEqual(await refused(), {
    ...{ field: 'domain' },
    message: 'has the account k@app.test, which the Kubernetes resource shop/k manages',
  });
  await store.accounts.softDelete(owner, managed.id, new Date());
  const unknown = await begin(store, owner, domain.id, 999_999);
  assert.deepEqual(unknown, { field: 'to', message: 'is not one of your teams' });
  assert.equal(await begin(store, to, domain.id, owner), null, 'not the caller’s domain');
  assert.deepEqual(await store.rows.read('domain', { team: owner, domain: domain.id }), domain);
  assert.equal((await begun(store, owner, domain.id, to)).done, true);
});

onEachStore(
  'domains on their way to a team count for its quotas',
  async ({ store, owner, domain, account }) => {
    const to = await newUser(store, 'other@team.test');
    const next = await newDomain(store, owner, 'next.test');
    for (const name of ['a', 'b']) await newAccount(store, owner, next.id, `${name}@next.test`);
    const theirs = await newDomain(store, to, 'theirs.test');
    await newAccount(store, to, theirs.id, 'x@theirs.test');
    await deliverMany(store, account, 5);
    const judged = (domains: number, accounts: number) =>
      store.moves.begin(owner, next.id, to, { quotas: { domains, accounts }, limit: 500, now: new Date() });
    const input = { name: 'more.test', active: true, verification: domain.verification, managedBy: null };
    const isOver = (limit: string) => ({ name: 'Invalid', limits: [limit] });
    const refused = async () => {
      assert.deepEqual(await judged(2, 9), {
        ...{ field: 'to', limit: 'owned.domains' },
        message: 'already has 2 domains, but the limit is 2',
      });
      assert.deepEqual(await judged(3, 3), {
        ...{ field: 'to', limit: 'owned.accounts' },
        message: 'would have 4 accounts, but the limit is 3',
      });
      const more = { ...input, createdAt: new Date() };
      await assert.rejects(store.domains.insert(to, more, 2), isOver('owned.domains'));
      const account = accountInput(theirs.id, 'y@theirs.test');
      await assert.rejects(store.accounts.insert(to, account, 2), isOver('owned.accounts'));
    };
    assert.equal((await begun(store, owner, domain.id, to, 2)).done, false);
    await refused();
    await goOn(store);
    await refused();
    const moved = await judged(3, 4);
    assert.ok(moved !== null && 'domain' in moved);
  },
);

onEachStore(
  'of two moves at once one happens, and a deletion or a move',
  async ({ store, owner, domain }) => {
    const teams: Id[] = [];
    for (const name of ['a', 'b', 'c']) teams.push(await newUser(store, `${name}@team.test`));
    const moves = await Promise.all(teams.map((team) => begin(store, owner, domain.id, team)));
    assert.equal(moves.filter((move) => move !== null).length, 1);
    const found = await Promise.all(
      teams.map((team) => store.rows.read('domain', { team, domain: domain.id })),
    );
    assert.deepEqual(
      found.map((one) => one !== null),
      moves.map((move) => move !== null),
    );
    for (const name of ['d.test', 'e.test', 'f.test']) {
      const next = await newDomain(store, owner, name);
      const [to = 0] = teams;
      const [move, removed] = await Promise.all([
        begin(store, owner, next.id, to),
        store.domains.softDelete(owner, next.id, new Date()),
      ]);
      assert.equal(removed, move === null);
      assert.equal((await store.rows.read('domain', { team: to, domain: next.id })) === null, removed);
    }
  },
);

onEachStore('mail and accounts that come during a move are in the new team, or refused', async (scene) => {
  const { store, owner, domain, account } = scene;
  const to = await newUser(store, 'other@team.test');
  const mails = Array.from({ length: 30 }, () => mail([target(account)]));
  const [verdicts, made] = await Promise.all([
    Promise.all(mails.map((one) => store.deliveries.commit([one]))),
    Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        store.accounts.insert(owner, accountInput(domain.id, `n${i}@app.test`)),
      ),
    ),
    begin(store, owner, domain.id, to, 2),
  ]);
  await goOn(store, 2);
  const stored = verdicts.flat().flatMap((verdict) => ('ids' in verdict ? verdict.ids : []));
  for (const verdict of verdicts.flat()) {
    assert.ok('ids' in verdict || verdict.reason === 'inactive', JSON.stringify(verdict));
  }
  assert.deepEqual(
    (await idsOf(store, to, {})).sort((a, b) => a - b),
    stored.sort((a, b) => a - b),
  );
  assert.deepEqual(await idsOf(store, owner, {}), []);
  assert.equal((await countsOf(store, { ...account, owner: to })).total, stored.length);
  const accounts = made.filter((one) => one !== null).length + 1;
  assert.equal((await store.accounts.list(to, {}, wholePage)).total, accounts);
  assert.equal((await store.accounts.list(owner, {}, wholePage)).total, 0);
});

onEachStore('teams that are deleted during a move leave nothing behind', async (scene) => {
  const { store, owner, domain, account } = scene;
  const to = await store.teams.insert({ name: 'x', kind: 'shared', founder: owner, createdAt: new Date() });
  assert.ok(to);
  const from = await store.teams.insert({ name: 'y', kind: 'shared', founder: owner, createdAt: new Date() });
  assert.ok(from);
  await begun(store, owner, domain.id, from.id);
  const ids = await deliverMany(store, { ...account, owner: from.id }, 5);
  await begun(store, from.id, domain.id, to.id, 2);
  for (const team of [from, to]) await store.teams.softDelete(team.id, new Date());
  await clearAll(store);
  const events = (await goOn(store, 2)).flatMap(({ commits }) => commits.flatMap((commit) => commit.events));
  assert.equal(events.length, ids.length - 2);
  await clearAll(store);
  const counts = await scene.opened.count();
  for (const [table, rows] of Object.entries(counts)) {
    if (/^(message|domain|account|mailbox|domain_move|messages|domains|accounts|mailboxes)$/.test(table)) {
      assert.equal(rows, 0, table);
    }
  }
});
