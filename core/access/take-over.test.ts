import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant, TeamKind } from '#core/access/role.ts';
import type { AuditEntry } from '#core/teams/audit-log.ts';
import { recordTakeOver } from '#core/teams/record-action.ts';
import type { Surroundings } from './people.ts';
import { planTakeOver } from './take-over.ts';

const bob = { id: 1, email: 'bob@app.test' };
const mallory = { id: 2, email: 'mallory@app.test' };
const owner: Grant = { source: 'direct', role: 'owner' };
const member: Grant = { source: 'direct', role: 'member' };
const byGroup: Grant = { source: 'group', role: 'viewer' };
const byRule: Grant = { source: 'shop/bob', role: 'member' };

const team = (id: number, kind: TeamKind) => ({ id, name: `team ${id}`, kind });
const joinedAt = new Date(0);
const personal = team(bob.id, 'personal');

type Case = [name: string, of: typeof bob, team: ReturnType<typeof team>, before: Grant[], stays: Grant[]];
const cases: Case[] = [
  ['the user stays in the personal team', bob, personal, [owner], [owner]],
  ['another owner of it leaves', mallory, personal, [owner], []],
  ['another member of it leaves', mallory, personal, [member], []],
  ['a membership that the user accepted ends', bob, team(3, 'shared'), [member], []],
  ['so does that of one of several owners', bob, team(4, 'shared'), [owner], []],
  ['so does that in the personal team of another', bob, team(2, 'personal'), [owner], []],
  ['the last owner of a shared team stays', bob, team(3, 'shared'), [owner], [owner]],
  ['the last owner of a managed team leaves', bob, team(3, 'managed'), [owner], []],
  [
    'grants by groups and resources stay',
    bob,
    team(4, 'managed'),
    [owner, byGroup, byRule],
    [byGroup, byRule],
  ],
  [
    'a membership without a grant by invitation is none that a stranger took',
    bob,
    team(3, 'managed'),
    [byRule],
    [byRule],
  ],
];

const state = (more: Partial<Surroundings> = {}): Surroundings => ({
  memberships: [],
  keys: [],
  accounts: [],
  invitations: [],
  ...more,
});

/** Teams that have another owner. */
const shared = [2, 4];

for (const [name, user, team, grants, stays] of cases) {
  test(name, () => {
    const membership = { user, team, grants, joinedAt, hasOtherOwner: shared.includes(team.id) };
    const left = stays.length === grants.length ? [] : [{ user, team, grants: stays, joinedAt }];
    assert.deepEqual(planTakeOver(bob.id, state({ memberships: [membership] })).left, left);
  });
}

const things = {
  keys: [
    { id: 1, team: 1, name: 'of bob', createdBy: 1 },
    { id: 2, team: 1, name: 'of mallory', createdBy: 2 },
    { id: 3, team: 1, name: 'of nobody', createdBy: null },
    { id: 4, team: 3, name: 'elsewhere', createdBy: 1 },
  ],
  accounts: [{ id: 5, address: 'qa@app.test' }],
  invitations: [
    { id: 6, team: 1, createdBy: 2 },
    { id: 7, team: 3, createdBy: 1 },
  ],
};

test('all keys, invitations and passwords of the personal team end, and those that the user made elsewhere', () => {
  assert.deepEqual(planTakeOver(bob.id, state(things)), { left: [], ...things });
  const foreign = {
    keys: [{ id: 9, team: 3, name: 'foreign', createdBy: 2 }],
    invitations: [{ id: 9, team: 3, createdBy: 2 }],
  };
  const nothing = { left: [], keys: [], accounts: [], invitations: [] };
  assert.deepEqual(planTakeOver(bob.id, state(foreign)), nothing);
});

test('each end is noted in the personal team, and in the team that it concerns', async () => {
  const noted: string[] = [];
  const record = async (entries: Omit<AuditEntry, 'id'>[]) => {
    for (const { team, action, target } of entries) noted.push(`${team} ${action} ${target}`);
  };
  const ports = {
    auditLog: { record },
    log: { info: () => {}, error: assert.fail },
    clock: () => new Date(0),
  };
  const left = [
    { user: mallory, team: personal, grants: [], joinedAt },
    { user: bob, team: team(3, 'shared'), grants: [], joinedAt },
  ];
  const user = { ...bob, createdAt: new Date(0) };
  await recordTakeOver(ports, { name: bob.email, remoteAddress: null }, user, { left, ...things });
  assert.deepEqual(noted.sort(), [
    '1 account.password_removed qa@app.test',
    '1 api_key.revoked elsewhere in team 3',
    '1 api_key.revoked of bob',
    '1 api_key.revoked of mallory',
    '1 api_key.revoked of nobody',
    '1 invitation.revoked 6',
    '1 invitation.revoked 7 in team 3',
    '1 member.removed bob@app.test in team 3',
    '1 member.removed mallory@app.test',
    '1 user.taken_over bob@app.test',
    '3 api_key.revoked elsewhere',
    '3 member.removed bob@app.test',
  ]);
});
