import assert from 'node:assert/strict';
import { NotFound } from '#core/errors.ts';
import { addFailure } from '#core/failures/change-failures.ts';
import { addMailRule } from '#core/rules/change-mail-rules.ts';
import { addSearch } from '#core/search/change-saved-searches.ts';
import { removeNamedTeam } from '#core/teams/manage-teams.ts';
import { removeUser } from '#core/teams/manage-users.ts';
import { administrator, recordAction } from '#core/teams/record-action.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import type { RowCounts } from '#test/support/stores/store.ts';
import { refusalOf } from './refusals.ts';
import { clearAll, deliver, newAccount, newDomain, onEachStore } from './scene.ts';
import { share } from './shares.ts';

const later = (ms: number) => new Date(Date.now() + ms);
const clock = () => new Date();

function portsOf(store: Store) {
  const bus = { announce: () => {}, listen: () => () => {} };
  const ports = { store, bus, metrics: createMetrics(), log: createLog('silent') };
  return { ...store, ...ports, clock, cascade: { begin: () => {} } };
}

/** Removes everything soft-deleted, as upkeep rounds do, and bodies without messages as if a day had passed. */
async function keepUp(store: Store): Promise<void> {
  await clearAll(store);
  while ((await store.upkeep({ do: 'remove-orphan-bodies', before: later(60_000) }, 500)).more);
}

/** Fills each table for a team in which `creator` has a key. */
async function fillTeam(store: Store, team: number, creator: number, name: string): Promise<void> {
  const createdAt = clock();
  const createdBy = await store.users.findById(creator);
  const key = { name, prefix: 'sp_', createdBy, createdAt };
  const [own] = [await store.apiKeys.insert(team, { ...key, hash: `own ${name}` })];
  const bare = await store.apiKeys.insert(team, { ...key, createdBy: null, hash: `bare ${name}` });
  assert.ok(own && bare);
  const times = { createdAt, expiresAt: later(86_400_000) };
  for (const [userId, { id: keyId }] of [
    [creator, own],
    [team, bare],
  ] as const) {
    const session = { hash: `${name} ${keyId}`, userId, origin: { keyId }, ...times };
    assert.equal(await store.sessions.insert(session, 10), 0);
  }
  const invitation = {
    team,
    role: 'member',
    email: null,
    createdBy: null,
    ...times,
    hash: `invitation ${name}`,
  } as const;
  assert.ok(await store.invitations.insert(invitation));
  const rule = { source: `qa/${name}`, team, email: null, group: 'testers', role: 'viewer' } as const;
  assert.equal(await store.memberRules.put(rule), true);
  await store.rows.change(addSearch, { team, name, q: 'has:code' });
  await store.refusals.add([refusalOf(team, clock())], 10);
  await store.managers.claim(team, 'a cluster');
  await store.managers.markOrphan({ owner: team, kind: 'team', id: team }, createdAt);
  await recordAction(portsOf(store), team, administrator, 'team.created', name);
  const domain = await newDomain(store, team, `${name}.test`);
  const account = await newAccount(store, team, domain.id, `qa@${name}.test`);
  await newAccount(store, team, domain.id, `idle@${name}.test`, { catchAll: true, capture: true });
  await deliver(store, account, { msgid: '<a@x>' });
  await deliver(store, account, { msgid: '<b@x>', inReplyTo: '<a@x>' });
  await deliver(store, account, { text: 'long text '.repeat(100_000) });
  const gone = await deliver(store, account);
  await store.messages.remove(team, gone, { now: clock(), receivedAfter: new Date(0) });
  const words = { name, q: 'has:code', active: true, tags: [], mailbox: null, expiresIn: null };
  const flags = { isRead: true, isFlagged: false, discard: false };
  await store.rows.change(addMailRule, { team, words: { ...words, ...flags } });
  await store.rows.change(addFailure, { team, input: {}, now: clock() });
  await share(store, team, name, { user: creator });
}

/** Names of tables and collections that have no more rows than before. */
function unfilled(before: RowCounts, after: RowCounts): string[] {
  return Object.keys(after).filter((name) => (after[name] ?? 0) <= (before[name] ?? 0));
}

onEachStore('nothing is left of a removed user and of their personal team', async (scene) => {
  const { store, opened, owner } = scene;
  const shared = { name: 'Shared', kind: 'shared', founder: owner, createdAt: clock() } as const;
  const team = await store.teams.insert(shared);
  assert.ok(team);
  const before = await opened.count();
  const identity = { issuer: 'https://id.test', subject: '7' };
  const ada = await store.users.insert('ada@team.test', 'a hash', clock(), { emailVerified: true, identity });
  assert.ok(ada);
  await store.users.setGroups(ada.id, ['testers']);
  await fillTeam(store, ada.id, ada.id, 'ada');
  const proof = { hash: 'by password', origin: { passwordHash: 'a hash' }, userId: ada.id };
  await store.sessions.insert({ ...proof, createdAt: clock(), expiresAt: later(1000) }, 10);
  await store.teams.grant(team.id, ada.id, { source: 'group', role: 'owner' }, { now: clock() });
  await store.teams.grant(team.id, ada.id, { source: 'direct', role: 'member' }, { now: clock() });
  const key = { name: 'in shared', prefix: 'sp_', hash: 'in shared', createdBy: ada, createdAt: clock() };
  assert.ok(await store.apiKeys.insert(team.id, key));
  // Bodies being received have rows only during that time.
  assert.deepEqual(unfilled(before, await opened.count()), unfilledWhileIdle(before));

  await removeUser(portsOf(store), 'Ada@team.test');
  assert.equal(await store.users.find({ email: 'ada@team.test' }), null);
  assert.equal(await store.apiKeys.findByHash('own ada'), null);
  assert.equal(await store.apiKeys.findByHash('in shared'), null);
  await keepUp(store);
  const { items: noted } = await store.rows.list('auditLog', { team: team.id }, { page: 1, limit: 9 });
  assert.deepEqual(
    noted.map(({ actor, action, target }) => [actor, action, target]),
    [['administrator', 'member.removed', 'ada@team.test']],
  );
  assert.deepEqual(withoutNotes(await opened.count()), withoutNotes(before));
  assert.ok(await store.users.insert('ada@team.test', null, clock()), 'the e-mail is free again');
});

onEachStore('nothing is left of a removed team', async ({ store, opened, owner }) => {
  const before = await opened.count();
  const wanted = { name: 'Checkout', kind: 'shared', founder: owner, createdAt: clock() } as const;
  const team = await store.teams.insert(wanted);
  assert.ok(team);
  await fillTeam(store, team.id, owner, 'checkout');
  const ofUsers = ['user', 'users', 'identity', 'identities', 'user_group'];
  assert.deepEqual(
    unfilled(before, await opened.count()).filter((name) => !ofUsers.includes(name)),
    unfilledWhileIdle(before),
  );
  await removeNamedTeam(portsOf(store), 'Checkout');
  await recordAction(portsOf(store), team.id, administrator, 'team.deleted', 'too late');
  await keepUp(store);
  assert.equal((await store.rows.list('auditLog', { team: team.id }, { page: 1, limit: 9 })).total, 0);
  const { items: noted } = await store.rows.list('auditLog', { team: owner }, { page: 1, limit: 9 });
  assert.deepEqual(
    noted.map(({ action, target }) => [action, target]),
    [['team.deleted', 'Checkout']],
  );
  assert.deepEqual(withoutNotes(await opened.count()), withoutNotes(before));
});

/** Returns the tables that have rows only while something is in progress. */
function unfilledWhileIdle(counts: RowCounts): string[] {
  return ['orphanBodies', 'domain_move'].filter((name) => name in counts);
}

/** Excludes the audit log, which records removals in other teams. */
function withoutNotes({ auditLog: _, audit_entry: __, ...counts }: RowCounts): RowCounts {
  return counts;
}

onEachStore('the last owner of a shared team is not removed, and another owner is', async (scene) => {
  const { store, owner } = scene;
  const bob = await store.users.insert('bob@team.test', null, clock());
  assert.ok(bob);
  const wanted = { name: 'Checkout', kind: 'shared', founder: owner, createdAt: clock() } as const;
  const team = await store.teams.insert(wanted);
  assert.ok(team);
  const refused = /qa-team@app\.test is the last owner of the team "Checkout"/;
  await assert.rejects(removeUser(portsOf(store), 'qa-team@app.test'), refused);
  await store.teams.grant(team.id, bob.id, { source: 'direct', role: 'member' }, { now: clock() });
  await assert.rejects(removeUser(portsOf(store), 'qa-team@app.test'), refused);
  assert.equal((await store.users.find({ email: 'qa-team@app.test' }))?.disabledAt, null);
  await store.teams.grant(team.id, bob.id, { source: 'direct', role: 'owner' }, { now: clock() });
  const both = ['qa-team@app.test', 'bob@team.test'].map((email) => removeUser(portsOf(store), email));
  const outcomes = await Promise.allSettled(both);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  const { items } = await store.rows.list('members', { team: team.id }, { page: 1, limit: 9 });
  const roles = items.map(({ role }) => role);
  assert.deepEqual(roles, ['owner'], 'of two owners who are removed at once, one stays');
  const [stays] = items;
  assert.equal((await store.users.find({ email: stays?.email ?? '' }))?.disabledAt, null);
});

onEachStore('a team or key that is made while its maker is removed does not outlive them', async (scene) => {
  const { store, owner } = scene;
  for (let round = 0; round < 5; round += 1) {
    const bob = await store.users.insert('bob@team.test', null, clock());
    assert.ok(bob);
    const makeKey = (n: number) => {
      const key = { name: 'ci', prefix: 'sp_', hash: `${round} ${n}`, createdBy: bob, createdAt: clock() };
      return store.apiKeys.insert(owner, key).catch((error) => assert.ok(error instanceof NotFound));
    };
    await Promise.all([makeKey(1), makeKey(2), store.users.remove(bob.id, clock()), makeKey(3), makeKey(4)]);
    assert.equal((await store.rows.list('apiKeys', { team: owner }, { page: 1, limit: 9 })).total, 0);
    const late = { name: 'Late', kind: 'shared', founder: bob.id, createdAt: clock() } as const;
    assert.equal(await store.teams.insert(late), null);
  }
});

onEachStore(
  'a removal that fails leaves the user as they were, and can be repeated',
  async ({ store, owner }) => {
    const founded = { kind: 'shared', founder: owner, createdAt: clock() } as const;
    const teams = [
      await store.teams.insert({ name: 'One', ...founded }),
      await store.teams.insert({ name: 'Two', ...founded }),
    ];
    const bob = await store.users.insert('bob@team.test', null, clock());
    assert.ok(bob);
    const grant = { source: 'direct', role: 'owner' } as const;
    for (const team of teams) await store.teams.grant(team?.id ?? 0, bob.id, grant, { now: clock() });
    await store.teams.revoke(teams[1]?.id ?? 0, owner, 'direct');
    await assert.rejects(removeUser(portsOf(store), 'bob@team.test'), /last owner of the team "Two"/);
    assert.equal((await store.users.find({ email: 'bob@team.test' }))?.disabledAt, null);
    assert.equal((await store.rows.list('teamsOf', { user: bob.id }, { page: 1, limit: 9 })).total, 3);
    await store.teams.softDelete(teams[1]?.id ?? 0, clock());
    await removeUser(portsOf(store), 'bob@team.test');
    assert.equal(await store.users.find({ email: 'bob@team.test' }), null);
    assert.equal((await store.rows.list('teamsOf', { user: bob.id }, { page: 1, limit: 9 })).total, 0);
    await assert.rejects(removeUser(portsOf(store), 'bob@team.test'), NotFound);
  },
);
