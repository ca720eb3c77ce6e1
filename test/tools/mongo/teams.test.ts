import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Id } from '#core/ids.ts';
import { removeMember } from '#core/teams/member-changes.ts';
import { newUser, wholePage } from '#test/once/conformance/scene.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';
import { rowsInMongo } from '#test/support/stores/rows-of-team.ts';

let mongo: TestMongo;
let a: Store;
let b: Store;
let ada: Id;
let bob: Id;
before(async () => {
  mongo = await startMongod();
  [a, b] = await Promise.all([
    openMongoStore(mongo).then(withPeople),
    openMongoStore(mongo).then(withPeople),
  ]);
  [ada, bob] = [await newUser(a, 'ada@team.test'), await newUser(a, 'bob@team.test')];
});
after(async () => {
  await Promise.all([a.close(), b.close()]);
  await mongo.close();
});

const at = new Date('2026-11-21T10:00:00Z');
const expiresAt = new Date('2026-11-28T10:00:00Z');
const direct = (role: 'owner' | 'member' | 'viewer') => ({ source: 'direct', role }) as const;

async function newTeam(): Promise<Id> {
  const team = await a.teams.insert({ name: 'Checkout', kind: 'shared', founder: ada, createdAt: at });
  assert.ok(team);
  return team.id;
}

test('of two owners who remove each other in two processes, one stays', async () => {
  for (let round = 0; round < 30; round += 1) {
    const team = await newTeam();
    await b.teams.grant(team, bob, direct('owner'), { now: at });
    const outcomes = await Promise.allSettled([
      a.rows.change(removeMember, { team, user: bob }),
      b.rows.change(removeMember, { team, user: ada }),
    ]);
    const statuses = outcomes.map(({ status }) => status);
    assert.deepEqual([...statuses].sort(), ['fulfilled', 'rejected'], `round ${round}`);
    const { items } = await b.rows.list('members', { team }, wholePage);
    assert.deepEqual(
      items.map(({ userId, role }) => [userId, role]),
      [[statuses[0] === 'fulfilled' ? ada : bob, 'owner']],
    );
  }
});

test('an invitation that is accepted in two processes is used once', async () => {
  const team = await newTeam();
  const guests = [
    { id: bob, email: 'bob@team.test' },
    { id: await newUser(a, 'eve@team.test'), email: 'eve@team.test' },
  ];
  for (let round = 0; round < 15; round += 1) {
    const hash = `round ${round}`;
    const invitation = { hash, team, role: 'member', email: null, createdBy: null } as const;
    assert.ok(await a.invitations.insert({ ...invitation, createdAt: at, expiresAt }));
    const most = { members: 100, teams: 1000 };
    const outcomes = await Promise.allSettled(
      [a, b].flatMap((store) => guests.map(({ id }) => store.invitations.accept(team, hash, id, at, most))),
    );
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await a.rows.list('members', { team }, wholePage)).total, 2);
    for (const { id } of guests) await b.teams.revoke(team, id, 'direct');
  }
});

test('a changed role shows in another process at the next read, cached keys and roles included', async () => {
  const team = await newTeam();
  const createdBy = await a.users.findById(bob);
  await a.teams.grant(team, bob, direct('member'), { now: at });
  const key = { name: 'ci', prefix: 'sp_', hash: 'ci', createdBy, createdAt: at };
  await a.apiKeys.insert(team, key);
  for (let round = 0; round < 5; round += 1) {
    for (const role of ['viewer', 'owner', 'member'] as const) {
      await a.teams.grant(team, bob, direct(role), { now: at });
      assert.equal(await b.teams.roleOf(team, bob), role);
      assert.equal((await b.apiKeys.findByHash('ci'))?.role, role);
    }
  }
  await a.users.setDisabled(bob, at);
  assert.equal(await b.teams.roleOf(team, bob), null);
  assert.equal(await b.apiKeys.findByHash('ci'), null);
  await a.users.setDisabled(bob, null);
  assert.equal((await b.apiKeys.findByHash('ci'))?.role, 'member');
  await a.teams.revoke(team, bob, 'direct');
  assert.equal(await b.teams.roleOf(team, bob), null);
  assert.equal(await b.apiKeys.findByHash('ci'), null);
});

test('sessions that begin with a key of a team while it is deleted leave nothing behind', async () => {
  const createdBy = await a.users.findById(ada);
  for (let round = 0; round < 15; round += 1) {
    const team = await newTeam();
    const hash = `key ${round}`;
    const key = await a.apiKeys.insert(team, { name: 'ci', prefix: 'sp_', hash, createdBy, createdAt: at });
    assert.ok(key);
    const origin = { keyId: key.id };
    const begin = (store: Store, name: string) =>
      store.sessions.insert({ hash: name, userId: ada, origin, createdAt: at, expiresAt }, 100);
    const end = round % 2 === 0 ? a.teams.softDelete(team, at) : a.apiKeys.remove(team, key.id);
    const begun = [0, 1, 2].map((index) => begin(index === 1 ? a : b, `${round} ${index}`));
    await Promise.all([end, ...begun]);
    await a.teams.softDelete(team, at);
    await b.upkeep({ do: 'remove-soft-deleted', now: at }, 100);
    assert.deepEqual(await rowsInMongo(mongo.uri, team), {}, `round ${round}`);
  }
});

test('a key is found while a transaction that a dead process left open removes it', async () => {
  const team = await newTeam();
  const createdBy = await a.users.findById(ada);
  const key = { name: 'ci', prefix: 'sp_', hash: 'abandoned', createdBy, createdAt: at };
  const made = await a.apiKeys.insert(team, key);
  assert.ok(made);
  const client = new MongoClient(mongo.uri);
  const session = client.startSession();
  try {
    session.startTransaction();
    const keys = client.db().collection<{ _id: Id }>('apiKeys');
    assert.equal((await keys.deleteOne({ _id: made.id }, { session })).deletedCount, 1);
    const begun = performance.now();
    await a.apiKeys.touch(made.id, at);
    assert.equal((await a.apiKeys.findByHash('abandoned'))?.role, 'owner');
    assert.ok(performance.now() - begun < 10_000, 'long before the server ends the transaction');
    await session.abortTransaction();
  } finally {
    await session.endSession();
    await client.close();
  }
  await a.apiKeys.touch(made.id, expiresAt);
  assert.deepEqual((await a.apiKeys.find(team, made.id))?.lastUsedAt, expiresAt);
});
