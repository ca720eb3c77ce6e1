import assert from 'node:assert/strict';
import type { Identity, User } from '#core/access/access.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { changeRole } from '#core/teams/member-changes.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

const at = new Date('2026-11-21T10:00:00.123Z');
const until = new Date('2026-11-22T10:00:00.123Z');
const direct = (role: 'owner' | 'member' | 'viewer') => ({ source: 'direct', role }) as const;

async function newTeam(store: Store, founder: Id) {
  const team = await store.teams.insert({ name: 'Checkout', kind: 'shared', founder, createdAt: at });
  assert.ok(team);
  return team.id;
}

async function userOf(store: Store, id: Id): Promise<User> {
  const user = await store.users.findById(id);
  assert.ok(user);
  return user;
}

/** Creates a team's key, found by the hash `name`, and a session for it with the same hash. */
async function newKey(store: Store, team: Id, createdBy: User | null, name: string) {
  const key = await store.apiKeys.insert(team, {
    name,
    prefix: 'sp_',
    hash: name,
    createdBy,
    createdAt: at,
  });
  assert.ok(key);
  const session = {
    hash: name,
    userId: createdBy?.id ?? team,
    origin: { keyId: key.id },
    createdAt: at,
    expiresAt: until,
  };
  assert.equal(await store.sessions.insert(session, 100), 0);
  return key;
}

/** Returns the names of the keys that grant access, each with its holder's role. Sessions grant access together with their keys. */
async function admitted(store: Store, names: string[]) {
  const roles: Record<string, string> = {};
  for (const name of names) {
    const found = await store.apiKeys.findByHash(name);
    const session = await store.sessions.find(name, at);
    assert.deepEqual(session?.holder ?? null, found, `the session of ${name} ends with its key`);
    if (found !== null) roles[name] = found.role;
  }
  return roles;
}

onEachStore('a key is made for a member only, if asked so', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  const other = await newUser(store, 'other@team.test');
  const keyOf = async (user: Id, hash: string, options = { byMember: true }) => {
    const key = { name: hash, prefix: 'sp_', hash, createdBy: await userOf(store, user), createdAt: at };
    return store.apiKeys.insert(team, key, options);
  };
  assert.ok(await keyOf(owner, 'of the owner'));
  await assert.rejects(keyOf(other, 'of a stranger'), NotFound);
  await store.teams.grant(team, other, direct('viewer'), { now: at });
  assert.ok(await keyOf(other, 'of a viewer'));
  await store.teams.revoke(team, other, 'direct');
  await assert.rejects(keyOf(other, 'of a former member'), NotFound);
  assert.ok(await keyOf(other, 'moved here', { byMember: false }));
  const { items } = await store.rows.list('apiKeys', { team }, wholePage);
  const names = items.map(({ name }) => name);
  assert.deepEqual(names, ['moved here', 'of the owner']);
});

onEachStore('a key has a scope, an expiry and a creator, whose role it has', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  const creator = await userOf(store, owner);
  const key = await store.apiKeys.insert(team, {
    name: 'ci',
    prefix: 'sp_ci',
    hash: 'ci',
    scope: 'read',
    expiresAt: until,
    createdBy: creator,
    createdAt: at,
  });
  const scope = { scope: 'read', accountIds: null } as const;
  const given = { name: 'ci', prefix: 'sp_ci', ...scope, expiresAt: until, createdBy: creator };
  const expected = { ...given, id: key?.id, owner: team, managedBy: null, createdAt: at, lastUsedAt: null };
  assert.deepEqual(key, expected);
  assert.deepEqual(await store.apiKeys.find(team, key?.id ?? 0), expected);
  assert.deepEqual((await store.rows.list('apiKeys', { team }, wholePage)).items, [expected]);
  assert.deepEqual(await store.apiKeys.findByHash('ci'), { key: expected, role: 'owner' });
  assert.equal((await store.rows.list('apiKeys', { team: owner }, wholePage)).total, 0, 'none of the user');
  const fresh = { name: 'x', prefix: 'sp_', hash: 'x', createdAt: at };
  await assert.rejects(store.apiKeys.insert(4711, fresh), NotFound);
  await store.teams.softDelete(team, at);
  await assert.rejects(store.apiKeys.insert(team, fresh), NotFound, 'the team is deleted');
});

onEachStore('a key follows the role of its creator, and ends with the membership', async (scene) => {
  const { store, owner } = scene;
  const team = await newTeam(store, owner);
  const person = await newUser(store, 'other@team.test');
  await store.teams.grant(team, person, direct('member'), { now: at });
  await store.teams.grant(team, person, { source: 'group', role: 'owner' }, { now: at });
  const creator = await userOf(store, person);
  await newKey(store, team, creator, 'theirs');
  await newKey(store, team, await userOf(store, owner), 'mine');
  await newKey(store, team, null, 'machine');
  await newKey(store, person, creator, 'personal');
  const names = ['theirs', 'mine', 'machine', 'personal'];
  const others = { mine: 'owner', machine: 'member', personal: 'owner' };
  assert.deepEqual(await admitted(store, names), { theirs: 'owner', ...others });
  await store.teams.revoke(team, person, 'group');
  assert.deepEqual(await admitted(store, names), { theirs: 'member', ...others });
  await store.teams.grant(team, person, direct('viewer'), { now: at });
  assert.deepEqual(await admitted(store, names), { theirs: 'viewer', ...others });
  await store.teams.revoke(team, person, 'direct');
  assert.deepEqual(await admitted(store, names), others);
  assert.equal((await store.rows.list('apiKeys', { team }, wholePage)).total, 2, 'the key is gone');
  await store.teams.grant(team, person, direct('member'), { now: at });
  assert.deepEqual(await admitted(store, names), others, 'and does not come back with a new membership');
});

onEachStore('a session that begins while a membership ends does not outlive it', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  const person = await newUser(store, 'other@team.test');
  const creator = await userOf(store, person);
  for (let round = 0; round < 5; round += 1) {
    await store.teams.grant(team, person, direct('member'), { now: at });
    const key = await newKey(store, team, creator, `key ${round}`);
    const begin = (name: string) => {
      const origin = { keyId: key.id };
      const session = { hash: name, userId: person, origin, createdAt: at, expiresAt: until };
      return store.sessions.insert(session, 100);
    };
    const names = Array.from({ length: 6 }, (_, index) => `${round} ${index}`);
    const early = names.slice(0, 3).map(begin);
    const ended = store.teams.revoke(team, person, 'direct');
    await Promise.all([...early, ended, ...names.slice(3).map(begin)]);
    for (const name of names) assert.equal(await store.sessions.find(name, at), null, name);
  }
});

onEachStore('a disabled user is refused everywhere until they are enabled', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  const person = await newUser(store, 'other@team.test');
  await store.teams.grant(team, person, direct('member'), { now: at });
  await store.users.setPassword(person, 'a hash');
  await newKey(store, team, await userOf(store, person), 'theirs');
  const signIn = (hash: string) =>
    store.sessions.insert(
      { hash, userId: person, origin: { passwordHash: 'a hash' }, createdAt: at, expiresAt: until },
      100,
    );
  assert.equal(await signIn('before'), 0);
  await store.users.setDisabled(person, at);
  assert.deepEqual((await store.users.find({ email: 'other@team.test' }))?.disabledAt, at);
  assert.equal(await store.sessions.find('before', at), null);
  assert.equal(await signIn('during'), null);
  assert.deepEqual(await admitted(store, ['theirs']), {});
  assert.equal(await store.teams.roleOf(team, person), null);
  assert.equal(await store.teams.roleOf(person, person), null, 'in the personal team too');
  assert.equal(
    (await store.rows.read('member', { team, user: person }))?.role,
    'member',
    'still a member, though',
  );
  await store.teams.grant(team, person, direct('viewer'), { now: at });
  assert.equal(await store.teams.roleOf(team, person), null, 'a new role lets nobody in');
  await store.users.setDisabled(person, null);
  assert.equal(await store.teams.roleOf(team, person), 'viewer');
  assert.equal((await store.apiKeys.findByHash('theirs'))?.role, 'viewer');
  assert.equal(await store.sessions.find('before', at), null, 'old sessions stay ended');
  assert.equal(await store.sessions.find('theirs', at), null);
  assert.equal(await signIn('after'), 0);
});

onEachStore('a removed user leaves no personal team, and nothing else', async (scene) => {
  const { store, owner } = scene;
  const team = await newTeam(store, owner);
  const person = await newUser(store, 'other@team.test');
  const identity: Identity = { issuer: 'https://id.test', subject: 'ada' };
  assert.ok(await store.users.vouch(person, { identity }));
  await store.teams.grant(team, person, direct('member'), { now: at });
  const creator = await userOf(store, person);
  await newKey(store, team, creator, 'theirs');
  await newKey(store, person, creator, 'personal');
  await store.users.remove(person, at);
  await store.users.remove(person, at);
  assert.equal(await store.users.findById(person), null);
  assert.equal(await store.users.find({ email: 'other@team.test' }), null);
  assert.equal(await store.users.find({ identity }), null);
  assert.deepEqual(await admitted(store, ['theirs', 'personal']), {});
  assert.equal(await store.teams.roleOf(team, person), null);
  assert.equal(await store.teams.roleOf(person, person), null);
  assert.equal((await store.rows.list('members', { team }, wholePage)).total, 1);
  assert.equal((await store.rows.list('members', { team: person }, wholePage)).total, 0);
  assert.equal(await store.teams.find(person), null);
  const again = await newUser(store, 'other@team.test');
  assert.notEqual(again, person, 'the e-mail is free, the id is not');
  assert.ok(await store.users.vouch(again, { identity }));
});

onEachStore('a change of a role does not put back a member who was removed meanwhile', async (scene) => {
  const { store, owner } = scene;
  const team = await newTeam(store, owner);
  const person = await newUser(store, 'other@team.test');
  const change = () => store.rows.change(changeRole, { team, user: person, role: 'owner' });
  await assert.rejects(change(), NotFound);
  assert.equal(await store.rows.read('member', { team, user: person }), null);
  await store.teams.grant(team, person, { source: 'group', role: 'viewer' }, { now: at });
  await assert.rejects(change(), /comes from an identity provider group/);
  assert.equal(await store.teams.roleOf(team, person), 'viewer');
});
