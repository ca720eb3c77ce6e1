import assert from 'node:assert/strict';
import type { Invitation } from '#core/access/people.ts';
import { Invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

const at = new Date('2026-11-21T10:00:00.123Z');
const expiresAt = new Date('2026-11-28T10:00:00.123Z');
const before = new Date(expiresAt.getTime() - 1);
const most = { members: 100, teams: 100 };

/** Creates a team for `founder`, and returns a function that creates invitations under a given hash. */
async function invitedTeam(store: Store, founder: Id) {
  const team = await store.teams.insert({ name: 'Checkout', kind: 'shared', founder, createdAt: at });
  assert.ok(team);
  const invite = async (hash: string, words: Partial<Invitation> = {}) => {
    const wanted = {
      team: team.id,
      role: 'member',
      email: null,
      createdBy: founder,
      createdAt: at,
      expiresAt,
      ...words,
    } as const;
    const made = await store.invitations.insert({ hash, ...wanted });
    assert.ok(made);
    assert.deepEqual(made, { id: made.id, ...wanted });
    return made;
  };
  return { team, invite };
}

/** Creates a user, returned in the form of a person who accepts invitations. */
async function guest(store: Store, email = 'ada@team.test') {
  return { id: await newUser(store, email), email };
}

onEachStore('an invitation is found, listed and removed while it is valid', async ({ store, owner }) => {
  const { team, invite } = await invitedTeam(store, owner);
  const first = await invite('first', { role: 'viewer', email: 'ada@team.test' });
  const second = await invite('second');
  const long = new Date(expiresAt.getTime() + 1);
  const third = await invite('third', { expiresAt: long });
  const { invitations, rows } = store;
  assert.deepEqual(await rows.read('invitation', { invitation: 'first', now: before }), first);
  assert.equal(
    await rows.read('invitation', { invitation: 'first', now: expiresAt }),
    null,
    'over at that instant',
  );
  assert.equal(await rows.read('invitation', { invitation: 'unknown', now: at }), null);
  const list = (of: number, now: Date, page = wholePage) => rows.list('invitations', { team: of, now }, page);
  assert.deepEqual(await list(team.id, before, { page: 1, limit: 2 }), { items: [third, second], total: 3 });
  assert.deepEqual(await list(team.id, expiresAt), { items: [third], total: 1 });
  assert.deepEqual(await list(owner, before), { items: [], total: 0 });
  assert.equal(await invitations.remove(owner, second.id), false, 'another team');
  assert.equal(await invitations.remove(team.id, second.id), true);
  assert.equal(await invitations.remove(team.id, second.id), false);
  await assert.rejects(invitations.accept(team.id, 'second', (await guest(store)).id, at, most), Invalid);
  await store.upkeep({ do: 'remove-expired-secrets', now: expiresAt }, 10);
  assert.equal(await rows.read('invitation', { invitation: 'first', now: at }), null);
  assert.ok(await rows.read('invitation', { invitation: 'third', now: at }));
});

onEachStore('an invitation needs a team and room beside those that are valid', async ({ store, owner }) => {
  const { team, invite } = await invitedTeam(store, owner);
  await invite('old', { expiresAt: at });
  await invite('valid');
  const createdBy = null;
  const wanted = { team: team.id, role: 'member', email: null, createdBy, createdAt: at, expiresAt } as const;
  await assert.rejects(store.invitations.insert({ ...wanted, hash: 'no room' }, 1), Invalid);
  assert.ok(await store.invitations.insert({ ...wanted, hash: 'room' }, 2));
  assert.equal(await store.invitations.insert({ ...wanted, team: 4711, hash: 'nowhere' }), null);
  await store.teams.softDelete(team.id, at);
  assert.equal(await store.invitations.insert({ ...wanted, hash: 'late' }), null);
});

onEachStore('an invitation works once, in time, for its e-mail, and raises a role only', async (scene) => {
  const { store, owner } = scene;
  const { team, invite } = await invitedTeam(store, owner);
  const ada = await guest(store);
  const bob = await guest(store, 'bob@team.test');
  const accept = (hash: string, user: typeof ada, now = before) =>
    store.invitations.accept(team.id, hash, user.id, now, most);
  await invite('for ada', { email: 'ada@team.test', role: 'viewer' });
  await assert.rejects(accept('for ada', bob), Invalid);
  await assert.rejects(accept('for ada', ada, expiresAt), Invalid);
  assert.equal(await store.teams.roleOf(team.id, ada.id), null);
  assert.deepEqual(await accept('for ada', ada), { ...team, role: 'viewer' });
  await assert.rejects(accept('for ada', ada), Invalid);
  const member = await store.rows.read('member', { team: team.id, user: ada.id });
  assert.deepEqual(member?.grants, [{ source: 'direct', role: 'viewer' }]);
  assert.deepEqual(member?.joinedAt, before);
  await invite('higher', { role: 'owner' });
  assert.deepEqual(await accept('higher', ada), { ...team, role: 'owner' });
  await invite('lower', { role: 'viewer' });
  assert.deepEqual(await accept('lower', ada), { ...team, role: 'owner' });
  assert.equal(
    await store.rows.read('invitation', { invitation: 'lower', now: at }),
    null,
    'it is used up nevertheless',
  );
  await invite('for nobody');
  await assert.rejects(accept('for nobody', { id: 4711, email: 'nobody@team.test' }), Invalid);
  assert.ok(
    await store.rows.read('invitation', { invitation: 'for nobody', now: at }),
    'neither used nor accepted',
  );
});

onEachStore('a full team and a user in many teams use no invitation up', async ({ store, owner }) => {
  const { team, invite } = await invitedTeam(store, owner);
  const ada = await guest(store);
  await invite('one');
  const accept = (terms: typeof most) => store.invitations.accept(team.id, 'one', ada.id, at, terms);
  await assert.rejects(accept({ members: 1, teams: 100 }), Invalid);
  await assert.rejects(accept({ members: 100, teams: 1 }), Invalid);
  assert.ok(await store.rows.read('invitation', { invitation: 'one', now: at }));
  assert.equal(await store.teams.roleOf(team.id, ada.id), null);
  assert.ok(await accept({ members: 2, teams: 2 }));
  await invite('two');
  assert.ok(
    await store.invitations.accept(team.id, 'two', ada.id, at, { members: 2, teams: 2 }),
    'who is in needs no room',
  );
});

onEachStore('of many who accept an invitation at once, one becomes a member', async ({ store, owner }) => {
  const { team, invite } = await invitedTeam(store, owner);
  const guests = await Promise.all(
    Array.from({ length: 6 }, (_, index) => guest(store, `guest${index}@team.test`)),
  );
  for (let round = 0; round < 5; round += 1) {
    await invite(`round ${round}`);
    const { total } = await store.rows.list('members', { team: team.id }, wholePage);
    const all = [...guests, ...guests].map((user) =>
      store.invitations.accept(team.id, `round ${round}`, user.id, at, most),
    );
    const accepted = (await Promise.allSettled(all)).filter(({ status }) => status === 'fulfilled');
    assert.equal(accepted.length, 1);
    assert.ok((await store.rows.list('members', { team: team.id }, wholePage)).items.length <= total + 1);
    for (const { id } of guests) await store.teams.revoke(team.id, id, 'direct');
  }
});

onEachStore('nobody joins a team that is deleted at that moment', async ({ store, owner }) => {
  const ada = await guest(store);
  for (let round = 0; round < 8; round += 1) {
    const { team, invite } = await invitedTeam(store, owner);
    await invite(`round ${round}`);
    await Promise.allSettled([
      store.invitations.accept(team.id, `round ${round}`, ada.id, at, most),
      store.teams.softDelete(team.id, at),
    ]);
    assert.equal(await store.teams.roleOf(team.id, ada.id), null);
    assert.equal(await store.rows.read('invitation', { invitation: `round ${round}`, now: at }), null);
    assert.equal((await store.rows.list('teamsOf', { user: ada.id }, wholePage)).total, 1);
  }
});

const endsOfOwning: [string, (store: Store, team: Id, maker: Id) => Promise<unknown>][] = [
  [
    'a lower role',
    (store, team, maker) => store.teams.grant(team, maker, { source: 'direct', role: 'member' }, { now: at }),
  ],
  ['a removal from the team', (store, team, maker) => store.teams.revoke(team, maker, 'direct')],
  ['a disabled user', (store, _team, maker) => store.users.setDisabled(maker, at)],
  ['a removed user', (store, _team, maker) => store.users.remove(maker, at)],
];

for (const [end, stopOwning] of endsOfOwning) {
  onEachStore(
    `the invitations of an owner end with ${end}, those of others stay`,
    async ({ store, owner }) => {
      const { team, invite } = await invitedTeam(store, owner);
      const maker = await newUser(store, 'maker@team.test');
      await store.teams.grant(team.id, maker, { source: 'direct', role: 'owner' }, { now: at });
      await invite('of the maker', { createdBy: maker });
      const kept = [await invite('of nobody', { createdBy: null }), await invite('of the founder')];
      await stopOwning(store, team.id, maker);
      assert.equal(await store.rows.read('invitation', { invitation: 'of the maker', now: at }), null);
      const { id } = await guest(store);
      await assert.rejects(store.invitations.accept(team.id, 'of the maker', id, at, most), Invalid);
      const { items } = await store.rows.list('invitations', { team: team.id, now: at }, wholePage);
      assert.deepEqual(items, kept.reverse());
      const late = { team: team.id, role: 'owner', email: null, createdBy: maker, hash: 'late' } as const;
      assert.equal(await store.invitations.insert({ ...late, createdAt: at, expiresAt }), null);
    },
  );
}
