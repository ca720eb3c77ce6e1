import assert from 'node:assert/strict';
import { Invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { changeRole, removeMember } from '#core/teams/member-changes.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

const at = new Date('2026-11-21T10:00:00.123Z');
const later = new Date('2026-11-21T11:00:00.456Z');

async function newTeam(store: Store, founder: Id | null, name = 'Checkout') {
  const kind = founder === null ? 'managed' : 'shared';
  const team = await store.teams.insert({ name, kind, founder, createdAt: at });
  assert.ok(team);
  return team;
}

const grantOf = (role: 'owner' | 'member' | 'viewer', source: 'direct' | 'group' | 'ns/cr' = 'direct') => ({
  source,
  role,
});

/** Returns the roles of a team's members, by user. */
async function rolesIn(store: Store, team: Id) {
  const { items, total } = await store.rows.list('members', { team }, wholePage);
  assert.equal(items.length, total);
  return Object.fromEntries(items.map(({ userId, role }) => [userId, role]));
}

onEachStore('a user has a personal team with their id from the beginning', async ({ store, owner }) => {
  const team = await store.teams.find(owner);
  assert.equal(team?.kind, 'personal');
  assert.equal(team?.id, owner);
  assert.equal(await store.teams.roleOf(owner, owner), 'owner');
  assert.deepEqual(await rolesIn(store, owner), { [owner]: 'owner' });
  assert.deepEqual((await store.rows.list('teamsOf', { user: owner }, wholePage)).items, [
    { ...team, role: 'owner', grants: [grantOf('owner')] },
  ]);
  assert.equal((await store.rows.list('teams', {}, wholePage)).total, 0, 'not among all teams');
  assert.equal(await store.teams.find({ managed: 'qa-team@app.test' }), null);
});

onEachStore('the owner who joined first pays for a team', async ({ store, owner }) => {
  const founder = await newUser(store, 'founder@team.test');
  const [shared, managed] = [await newTeam(store, founder), await newTeam(store, null)];
  for (const { id } of [shared, managed])
    await store.teams.grant(id, owner, grantOf(id === shared.id ? 'owner' : 'member'), { now: later });
  const payers = [owner, shared.id, managed.id].map((team) => store.payers.of(team));
  assert.deepEqual(await Promise.all(payers), [owner, founder, managed.id], 'a team without an owner itself');
});

onEachStore('a team has an id that no user gets, and its founder as owner', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  assert.deepEqual(team, {
    id: team.id,
    name: 'Checkout',
    kind: 'shared',
    createdAt: at,
    allowsShares: true,
    clients: null,
  });
  const other = await newUser(store, 'other@team.test');
  assert.equal(new Set([owner, team.id, other]).size, 3);
  assert.deepEqual(await store.teams.find(team.id), team);
  assert.deepEqual((await store.rows.list('members', { team: team.id }, wholePage)).items, [
    { userId: owner, email: 'qa-team@app.test', role: 'owner', grants: [grantOf('owner')], joinedAt: at },
  ]);
  assert.equal(await store.teams.roleOf(team.id, other), null);
  assert.equal(await store.rows.read('member', { team: team.id, user: other }), null);
  const second = await newTeam(store, owner);
  assert.notEqual(second.id, team.id, 'names of shared teams may repeat');
  const own = await store.rows.list('teamsOf', { user: owner }, { page: 2, limit: 1 });
  assert.deepEqual(own, { items: [{ ...team, role: 'owner', grants: [grantOf('owner')] }], total: 3 });
  assert.deepEqual(await store.rows.list('teams', {}, { page: 2, limit: 1 }), { items: [second], total: 2 });
});

onEachStore('one of many managed teams of a name is made, and its name is free later', async ({ store }) => {
  const wanted = { name: 'namespace/qa', kind: 'managed', founder: null, createdAt: at } as const;
  const made = await Promise.all(Array.from({ length: 6 }, () => store.teams.insert(wanted)));
  const teams = made.filter((team) => team !== null);
  assert.equal(teams.length, 1);
  const [team] = teams;
  assert.ok(team);
  assert.deepEqual(await store.teams.find({ managed: 'namespace/qa' }), team);
  assert.deepEqual(await rolesIn(store, team.id), {});
  assert.equal(await store.teams.softDelete(team.id, later), true);
  assert.equal(await store.teams.find({ managed: 'namespace/qa' }), null);
  const again = await store.teams.insert(wanted);
  assert.ok(again && again.id !== team.id);
});

onEachStore('a team is renamed while it exists', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  assert.deepEqual(await store.teams.rename(team.id, 'Orders'), { ...team, name: 'Orders' });
  assert.equal((await store.teams.find(team.id))?.name, 'Orders');
  assert.equal(await store.teams.rename(4711, 'Orders'), null);
  await store.teams.softDelete(team.id, later);
  assert.equal(await store.teams.rename(team.id, 'Gone'), null);
});

onEachStore('the highest of the roles from several sources counts', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  const user = await newUser(store, 'other@team.test');
  const grant = (given: ReturnType<typeof grantOf>) =>
    store.teams.grant(team.id, user, given, { now: later });
  const asListed = async () => {
    const { items } = await store.rows.list('teamsOf', { user }, wholePage);
    return items.find(({ id }) => id === team.id);
  };
  const role = async () => {
    const member = await store.rows.read('member', { team: team.id, user });
    const { items: members } = await store.rows.list('members', { team: team.id }, wholePage);
    const listed = members.find(({ userId }) => userId === user);
    const mine = await asListed();
    const found = await store.teams.roleOf(team.id, user);
    assert.deepEqual(listed ?? null, member);
    assert.equal(member?.role ?? null, found);
    assert.equal(mine?.role ?? null, found);
    return found;
  };
  const joined = await grant(grantOf('viewer'));
  assert.ok(joined);
  assert.deepEqual(joined.grants, [grantOf('viewer')]);
  assert.deepEqual(joined.joinedAt, later);
  assert.equal(await role(), 'viewer');
  await grant(grantOf('owner', 'group'));
  assert.equal(await role(), 'owner');
  await grant(grantOf('member', 'ns/cr'));
  await grant(grantOf('viewer', 'group'));
  assert.equal(await role(), 'member', 'a grant of the same source is replaced');
  const listed = await asListed();
  assert.deepEqual(
    listed?.grants.toSorted((a, b) => a.source.localeCompare(b.source)),
    [grantOf('viewer'), grantOf('viewer', 'group'), grantOf('member', 'ns/cr')],
  );
  assert.equal(await store.teams.revoke(team.id, user, 'ns/cr'), true);
  assert.equal(await store.teams.revoke(team.id, user, 'ns/cr'), false);
  assert.equal(await role(), 'viewer');
  assert.equal(await store.teams.revoke(team.id, user, 'direct'), true);
  assert.equal(await role(), 'viewer', 'the group still grants it');
  assert.equal(await store.teams.revoke(team.id, user, 'group'), true);
  assert.equal(await role(), null);
});

onEachStore('a grant needs a user, a team, and room', async ({ store, owner }) => {
  const team = await newTeam(store, owner);
  const user = await newUser(store, 'other@team.test');
  const given = grantOf('member');
  assert.equal(await store.teams.grant(4711, user, given, { now: at }), null);
  assert.equal(await store.teams.grant(team.id, 4711, given, { now: at }), null);
  assert.equal(await store.teams.grant(team.id, team.id, given, { now: at }), null, 'a team is no user');
  await assert.rejects(store.teams.grant(team.id, user, given, { now: at, most: 1 }), Invalid);
  assert.deepEqual(await rolesIn(store, team.id), { [owner]: 'owner' });
  await store.teams.grant(team.id, user, given, { now: at, most: 2 });
  await store.teams.grant(team.id, user, grantOf('viewer'), { now: at, most: 2 });
  assert.deepEqual(await rolesIn(store, team.id), { [owner]: 'owner', [user]: 'viewer' });
  assert.equal(await store.teams.revoke(4711, user, 'direct'), false);
  const founded = { name: 'x', kind: 'shared', founder: owner, createdAt: at } as const;
  await assert.rejects(store.teams.insert(founded, 2), Invalid, 'the founder is in two teams');
  assert.ok(await store.teams.insert(founded, 3));
  await store.teams.softDelete(team.id, later);
  assert.equal(await store.teams.grant(team.id, user, given, { now: at }), null, 'the team is gone');
  assert.equal(await store.teams.insert({ ...founded, founder: 4711 }), null, 'the founder is gone');
});

onEachStore('of users who join at once, as many as there is room for become members', async (scene) => {
  const { store, owner } = scene;
  const team = await newTeam(store, owner);
  const users = await Promise.all(
    Array.from({ length: 6 }, (_, index) => newUser(store, `u${index}@team.test`)),
  );
  const joins = users.map((user) =>
    store.teams.grant(team.id, user, grantOf('member'), { now: at, most: 4 }).then(
      () => true,
      (error) => {
        assert.ok(error instanceof Invalid);
        return false;
      },
    ),
  );
  assert.equal((await Promise.all(joins)).filter(Boolean).length, 3);
  assert.equal((await store.rows.list('members', { team: team.id }, wholePage)).total, 4);
});

onEachStore('the last owner stays where that is asked for, and only then', async ({ store, owner }) => {
  const { id: team } = await newTeam(store, owner);
  const other = await newUser(store, 'other@team.test');
  await store.teams.grant(team, other, grantOf('member'), { now: at });
  const place = { team, user: owner };
  await assert.rejects(store.rows.change(changeRole, { ...place, role: 'viewer' }), /last owner/);
  await assert.rejects(store.rows.change(removeMember, place), /last owner/);
  assert.equal(await store.teams.roleOf(team, owner), 'owner');
  assert.equal((await store.rows.change(removeMember, { team, user: other })).userId, other);
  assert.equal(await store.teams.revoke(team, owner, 'direct'), true);
  assert.deepEqual(await rolesIn(store, team), {});
});

onEachStore('of two owners who remove or lower each other at once, one stays', async ({ store, owner }) => {
  const other = await newUser(store, 'other@team.test');
  for (let round = 0; round < 25; round += 1) {
    const team = await newTeam(store, owner, `round ${round}`);
    await store.teams.grant(team.id, other, grantOf('owner'), { now: at });
    const lower = (user: Id) => store.rows.change(changeRole, { team: team.id, user, role: 'viewer' });
    const remove = (user: Id) => store.rows.change(removeMember, { team: team.id, user });
    const changes = [remove, lower];
    const [first = remove, second = remove] = [changes[round % 2], changes[(round >> 1) % 2]];
    const outcomes = await Promise.allSettled([first(other), second(owner)]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1, `round ${round}`);
    const owners = Object.values(await rolesIn(store, team.id)).filter((role) => role === 'owner');
    assert.equal(owners.length, 1, `round ${round}`);
  }
});
