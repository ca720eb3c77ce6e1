import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts, Write } from '#core/change.ts';
import type { ApiKey } from './access.ts';
import { addKey, changeKey, revokeKey } from './key-changes.ts';
import type { Membership, Person, Surroundings } from './people.ts';
import type { Grant } from './role.ts';
import {
  addUser,
  beginSession,
  type NewSession,
  removeUser,
  setDisabled,
  setGroups,
  setPassword,
  vouch,
} from './user-changes.ts';

const at = new Date(0);
const now = new Date(1000);
const user: Person = {
  ...{ id: 7, email: 'ada@app.test', createdAt: at, passwordHash: 'old', emailVerified: false },
  ...{ disabledAt: null, groups: ['devs'] },
};
const verified = { ...user, emailVerified: true };
const key: ApiKey = {
  ...{ id: 5, owner: 3, name: 'ci', prefix: 'sp_', scope: 'full', expiresAt: null, createdBy: user },
  ...{ accountIds: null, managedBy: null, createdAt: at, lastUsedAt: null },
};
const nothing: Surroundings = { memberships: [], keys: [], accounts: [], invitations: [] };
const owner: Grant = { source: 'direct', role: 'owner' };
const membership = (id: number, more: Partial<Membership> = {}): Membership => ({
  ...{ user, team: { id, name: 'Checkout', kind: 'shared' }, grants: [owner] },
  ...{ joinedAt: at, hasOtherOwner: true, ...more },
});

const facts = (more: Partial<Facts> = {}): Facts =>
  ({
    ...{ newTeam: 9, newKey: 9, team: { id: 3, name: 'x', kind: 'shared', createdAt: at } },
    ...{ user, member: { grants: [owner], joinedAt: at }, key, keys: 1, holdsIdentity: true },
    ...{ sessions: ['late', 'later', 'soon'], ownAccounts: [4, 6], surroundings: nothing },
    ...more,
  }) as Facts;

const ops = ({ writes }: { writes: Write[] }) => writes.map((write) => write.do);

test('a user has a personal team with their id, and an identity if one is given', () => {
  const wanted = { email: 'ada@app.test', passwordHash: null, now };
  const { writes, result } = addUser.plan(facts(), wanted);
  assert.deepEqual(result, { id: 9, email: 'ada@app.test', createdAt: now });
  const team = {
    id: 9,
    name: 'ada@app.test',
    kind: 'personal',
    createdAt: now,
    allowsShares: true,
    clients: null,
  } as const;
  assert.deepEqual(writes, [
    { do: 'add-team', team },
    { do: 'add-user', user: { ...result, passwordHash: null, emailVerified: false } },
    { do: 'put-member', team: 9, user: 9, joinedAt: now, suspended: false, grants: [owner] },
  ]);
  const identity = { issuer: 'https://id.test', subject: 's' };
  const [last] = addUser.plan(facts(), { ...wanted, identity }).writes.slice(-1);
  assert.deepEqual(last, { do: 'add-identity', user: 9, identity });
});

test('a changed password ends all sessions but one', () => {
  assert.deepEqual(setPassword.plan(facts(), { user: 7, passwordHash: 'new', keep: 'h' }).writes, [
    { do: 'set-user', user: 7, set: { passwordHash: 'new' } },
    { do: 'end-sessions-of', user: 7, keep: 'h' },
  ]);
  assert.deepEqual(
    ops(setPassword.plan(facts({ user: null }), { user: 7, passwordHash: 'new', keep: null })),
    [],
  );
});

const identity = { issuer: 'https://id.test', subject: 's' };
const links = ['end-shares', 'end-shares'];
const ends = ['end-sessions-of', 'end-keys', 'end-invitations', 'remove-passwords', ...links];
/** Facts, the proof, the writes, and the resulting password. */
const vouching: [string, Partial<Facts>, object, string[], string | null][] = [
  ['the first identity ends the password', {}, { identity }, ['add-identity', ...ends, 'set-user'], null],
  ['a later identity ends nothing', { user: verified }, { identity }, ['add-identity', 'set-user'], 'old'],
  [
    'a first password takes over',
    {},
    { passwordHash: 'new' },
    [...ends, 'end-sessions-of', 'set-user'],
    'new',
  ],
  [
    'a later password ends sessions',
    { user: verified },
    { passwordHash: 'new' },
    ['end-sessions-of', 'set-user'],
    'new',
  ],
];
for (const [name, more, proof, wanted, passwordHash] of vouching) {
  test(name, () => {
    const plan = vouch.plan(facts(more), { user: 7, ...proof });
    assert.deepEqual(ops(plan), wanted);
    const set = { passwordHash, emailVerified: true };
    assert.deepEqual(plan.writes.at(-1), { do: 'set-user', user: 7, set });
    assert.equal(plan.result?.taken === null, more.user === verified);
  });
}

test('a takeover ends memberships by invitation, and leaves those of groups', () => {
  const byGroup: Grant = { source: 'group', role: 'viewer' };
  const memberships = [membership(3), membership(4, { grants: [owner, byGroup] })];
  const { writes } = vouch.plan(facts({ surroundings: { ...nothing, memberships } }), { user: 7, identity });
  assert.deepEqual(writes.slice(2, 4), [
    { do: 'remove-members', where: { team: 3, user: 7 } },
    { do: 'put-member', team: 4, user: 7, grants: [byGroup], joinedAt: at, suspended: false },
  ]);
});

test('a disabled user loses sessions, invitations and share links, and gets none back', () => {
  const ended = ['set-user', 'end-sessions-of', 'end-invitations', 'end-shares'];
  assert.deepEqual(ops(setDisabled.plan(facts(), { user: 7, at })), ended);
  assert.deepEqual(ops(setDisabled.plan(facts(), { user: 7, at: null })), ['set-user']);
});

test('groups are written where they differ', () => {
  const written = (groups: string[]) => setGroups.plan(facts(), { user: 7, groups }).writes;
  assert.deepEqual(written(['devs', 'devs']), []);
  assert.deepEqual(written(['ops', 'ops']), [{ do: 'set-user', user: 7, set: { groups: ['ops'] } }]);
});

test('a removed user leaves all teams, unless one would lose its last owner', () => {
  const remove = (...memberships: Membership[]) =>
    removeUser.plan(facts({ surroundings: { ...nothing, memberships } }), { user: 7, now });
  const last = { hasOtherOwner: false };
  const personal = membership(7, { team: { id: 7, name: 'ada', kind: 'personal' }, ...last });
  const managed = membership(5, { team: { id: 5, name: 'ns', kind: 'managed' }, ...last });
  const other = membership(7, { user: { id: 8, email: 'bob@app.test' } });
  const viewer = membership(3, { grants: [{ source: 'direct', role: 'viewer' }], ...last });
  const { writes, result } = remove(personal, managed, other, viewer, membership(4));
  assert.deepEqual(result, [3, 4, 5]);
  const removed = writes.filter((write) => write.do === 'remove-members').map(({ where }) => where);
  assert.deepEqual(removed, [{ team: 7 }, { user: 7 }]);
  assert.throws(() => remove(membership(4, last)), {
    message:
      /^email: ada@app.test is the last owner of the team "Checkout" \(id 4\): make another member an owner/,
  });
  assert.deepEqual(removeUser.plan(facts({ user: null }), { user: 7, now }), { writes: [], result: [] });
});

/** Facts, the proof, and whether a session starts. */
const proofs: [string, Partial<Facts>, Partial<NewSession>, boolean][] = [
  ['the password', {}, { passwordHash: 'old' }, true],
  ['another password', {}, { passwordHash: 'new' }, false],
  ['no password', { user: { ...user, passwordHash: null } }, { passwordHash: 'old' }, false],
  ['an identity', {}, { identity }, true],
  ['a foreign identity', { holdsIdentity: false }, { identity }, false],
  ['a disabled user', { user: { ...user, disabledAt: at } }, { passwordHash: 'old' }, false],
  ['a key of theirs', {}, { key: 5 }, true],
  ['a key that is gone', { key: null }, { key: 5 }, false],
  ['a key of another', { key: { ...key, createdBy: { ...user, id: 8 } } }, { key: 5 }, false],
  ['a key of a team', { user: null, key: { ...key, createdBy: null } }, { key: 5, user: 3 }, true],
];
for (const [name, more, proof, begins] of proofs) {
  test(`a session by ${name} ${begins ? 'begins' : 'does not begin'}`, () => {
    const session = { user: 7, hash: 'h', createdAt: at, expiresAt: now, most: 3, ...proof };
    const plan = beginSession.plan(facts(more), session);
    assert.equal(plan.result, begins ? 1 : null);
    assert.deepEqual(plan.writes[0], begins ? { do: 'end-sessions', hashes: ['soon'] } : undefined);
  });
}

/** Facts, options, and the error message, or null. */
const keys: [string, Partial<Facts>, object, RegExp | null][] = [
  ['for its creator', {}, {}, null],
  ['in a team that is gone', { team: null }, {}, /^$/],
  ['by a user who is gone', { user: null }, { byMember: false }, /^$/],
  ['by no member', { member: null }, {}, /^$/],
  ['by no member, at an import', { member: null }, { byMember: false }, null],
  ['beyond the limit', { keys: 4 }, {}, /^name: the limit of 4 API keys has been reached$/],
  [
    'for an account of another',
    {},
    { accountIds: [4, 5] },
    /^accountIds: must contain only ids of your accounts$/,
  ],
  ['for accounts that are gone', { ownAccounts: [] }, { accountIds: [4] }, /^accountIds: /],
];
for (const [name, more, options, message] of keys) {
  test(`a key ${name} ${message ? 'is refused' : 'is stored'}`, () => {
    const stored = { name: 'ci', prefix: 'sp_', hash: 'h', createdBy: user, createdAt: at };
    const plan = () =>
      addKey.plan(facts(more), { team: 3, user: 7, stored, most: 4, byMember: true, ...options });
    if (message !== null) assert.throws(plan, { message });
    else assert.deepEqual(plan().writes, [{ do: 'add-key', key: { ...key, id: 9 }, hash: 'h' }]);
  });
}

for (const [asked, scope] of [
  [undefined, 'accounts'],
  ['read', 'accounts'],
  ['full', null],
  ['send', null],
] as const) {
  test(`a key of the scope ${asked} ${scope ? 'is' : 'cannot be'} limited to accounts`, () => {
    const stored = { name: 'ci', prefix: 'sp_', hash: 'h', createdBy: user, createdAt: at, scope: asked };
    const plan = () => addKey.plan(facts(), { team: 3, user: 7, accountIds: [4, 6], stored });
    if (scope === null) assert.throws(plan, /scope: must be "read" for a key limited to accounts/);
    else assert.deepEqual(plan().result, { ...key, id: 9, scope, accountIds: [4, 6] });
  });
}

test('a key is changed in place by its manager alone, while it exists', () => {
  const expiresAt = new Date('2027-06-30T00:00:00Z');
  const change = (found: ApiKey | null, manager: string) =>
    changeKey.plan(facts({ key: found }), { team: 3, key: 5, manager, set: { scope: 'read', expiresAt } });
  const managed = { ...key, managedBy: 'qa/ci' };
  const { writes, result } = change(managed, 'qa/ci');
  assert.deepEqual(writes, [{ do: 'set-key', key: 5, set: { scope: 'read', expiresAt } }]);
  assert.deepEqual(result, { ...managed, scope: 'read', expiresAt });
  assert.throws(() => change(managed, 'qa/other'), /managed by the Kubernetes resource qa\/ci/);
  assert.throws(() => change(key, 'qa/ci'), /managed by the API/);
  assert.throws(() => change(null, 'qa/ci'), { name: 'NotFound' });
  assert.throws(() => change({ ...managed, accountIds: [4] }, 'qa/ci'), /scope: can.t be changed/);
});

test('a key is revoked by its manager, while it exists', () => {
  const revoke = (found: ApiKey | null, manager: string | null) =>
    revokeKey.plan(facts({ key: found }), { team: 3, key: 5, manager });
  assert.deepEqual(revoke(key, null).writes, [{ do: 'end-keys', where: { team: 3, ids: [5] } }]);
  assert.deepEqual(ops(revoke({ ...key, managedBy: 'qa/ci' }, 'qa/ci')), ['end-keys']);
  assert.throws(
    () => revoke({ ...key, managedBy: 'qa/ci' }, null),
    /managed by the Kubernetes resource qa\/ci/,
  );
  assert.throws(() => revoke(key, 'qa/ci'), /managed by the API/);
  assert.throws(() => revoke(null, null), { name: 'NotFound' });
});
