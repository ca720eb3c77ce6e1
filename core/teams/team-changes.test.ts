import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Invitation, Rule, Team } from '#core/access/people.ts';
import type { Facts, Write } from '#core/change.ts';
import {
  addInvitation,
  addTeam,
  changeTeam,
  deleteTeam,
  endInvitation,
  putRule,
  removeRule,
} from './team-changes.ts';

const at = new Date(0);
const now = new Date(1000);
const user = { id: 7, email: 'ada@app.test', createdAt: at, passwordHash: null, emailVerified: true };
const shared: Team = {
  id: 3,
  name: 'Checkout',
  kind: 'shared',
  createdAt: at,
  allowsShares: true,
  clients: null,
};
const owner = { grants: [{ source: 'direct', role: 'owner' }], joinedAt: at } as const;
const viewer = { grants: [{ source: 'direct', role: 'viewer' }], joinedAt: at } as const;
const rule: Rule = { id: 4, source: 'qa/ada', team: 3, email: 'ada@app.test', group: null, role: 'member' };

/** Facts about a team and its owner, with room for more of everything. */
const facts = (more: object = {}) =>
  ({
    ...{ newTeam: 9, newInvitation: 9, newRule: 9, team: shared, rule: null, invitation: null },
    ...{ user: { ...user, disabledAt: null, groups: [] }, member: owner, teams: 1, invitations: 1, rules: 1 },
    ...more,
  }) as unknown as Facts;

type Case = [name: string, plan: () => { writes: Write[] }, wanted: Write['do'][] | RegExp];

const byFounder = { user: 7, name: 'New', kind: 'shared', now, most: 2 } as const;
const rename = (team: Partial<Team>, name = 'New') =>
  changeTeam.plan(facts({ team: { ...shared, ...team } }), { team: 3, name });
const remove = (kind: Team['kind'], byOwner: boolean) =>
  deleteTeam.plan(facts({ team: { ...shared, kind } }), { team: 3, now, byOwner });
const ends: Write['do'][] = [
  'delete-team',
  'end-keys',
  'end-invitations',
  'end-shares',
  'remove-rules',
  'remove-searches',
  'remove-mail-rules',
  'remove-failures',
  'remove-members',
];
const invite = (more: object, by: { user?: number } = { user: 7 }) =>
  addInvitation.plan(facts(more), {
    ...{ team: 3, ...by, now, role: 'member', email: null, expiresAt: now, hash: 'h', most: 2 },
  });
const put = (more: object) =>
  putRule.plan(facts(more), {
    rule: 'qa/ada',
    team: 3,
    email: 'a@app.test',
    group: null,
    role: 'owner',
    most: 2,
  });
const endOf = (invitation: Partial<Invitation> | null) =>
  endInvitation.plan(facts({ invitation }), { team: 3, invitation: 5 });
const endRule = (found: Rule | null) => removeRule.plan(facts({ rule: found }), { team: 3, rule: 'qa/ada' });

const cases: Case[] = [
  ['a team has its founder as owner', () => addTeam.plan(facts(), byFounder), ['add-team', 'put-member']],
  [
    'a managed team has nobody',
    () => addTeam.plan(facts(), { name: 'ns', kind: 'managed', now }),
    ['add-team'],
  ],
  ['a founder who is gone makes none', () => addTeam.plan(facts({ user: null }), byFounder), /^$/],
  [
    'nor does one who is in too many',
    () => addTeam.plan(facts({ teams: 2 }), byFounder),
    /^name: the limit of 2 teams per user has been reached/,
  ],
  ['a team is renamed', () => rename({}), ['set-team']],
  ['a personal team is, too', () => rename({ kind: 'personal' }), ['set-team']],
  ['a managed one is not', () => rename({ kind: 'managed' }), /^name: is reserved for administrators$/],
  [
    'none has the name of a namespace',
    () => rename({}, 'namespace/qa'),
    /^name: must not begin with namespace\/$/,
  ],
  [
    'a team that is gone is not renamed',
    () => changeTeam.plan(facts({ team: null }), { team: 3, name: 'x' }),
    /^$/,
  ],
  ['an owner deletes a shared team', () => remove('shared', true), ends],
  ['an owner keeps a personal team', () => remove('personal', true), /can't be deleted$/],
  ['an owner keeps a managed team', () => remove('managed', true), /an administrator can remove it$/],
  ['an administrator deletes any team', () => remove('managed', false), ends],
  ['an owner invites', () => invite({}), ['add-invitation']],
  ['a key without a creator invites', () => invite({ user: null, member: null }, {}), ['add-invitation']],
  ['a viewer does not', () => invite({ member: viewer }), /lost the owner role, during the request$/],
  ['nor does a stranger', () => invite({ member: null }), /lost the owner role/],
  [
    'nor a disabled owner',
    () => invite({ user: { ...user, disabledAt: at, groups: [] } }),
    /lost the owner role/,
  ],
  ['nobody invites to a deleted team', () => invite({ team: null }, {}), /^The team was deleted/],
  [
    'invitations have a limit',
    () => invite({ invitations: 2 }),
    /^role: the limit of 2 invitations has been reached/,
  ],
  ['an invitation is revoked in its team', () => endOf({ id: 5, team: 3 }), ['end-invitations']],
  ['and not in another', () => endOf({ id: 5, team: 4 }), []],
  ['and not twice', () => endOf(null), []],
  ['a rule is written', () => put({}), ['put-rule']],
  ['a rule needs its team', () => put({ team: null }), /^$/],
  ['rules have a limit', () => put({ rules: 2 }), /^role: the limit of 2 Member resources has been reached/],
  ['a rule that is there needs no room', () => put({ rules: 2, rule }), ['put-rule']],
  ['a rule that has ended is removed', () => endRule({ ...rule, role: null }), ['remove-rules']],
  ['a rule that is in force stays', () => endRule(rule), []],
  ['no rule is none to remove', () => endRule(null), []],
];

for (const [name, plan, wanted] of cases) {
  test(name, () => {
    if (wanted instanceof RegExp) assert.throws(plan, { message: wanted });
    else
      assert.deepEqual(
        plan().writes.map((write) => write.do),
        wanted,
      );
  });
}

test('a rule keeps its id', () => {
  const idOf = (found: Rule | null) =>
    put({ rule: found }).writes.map((write) => 'rule' in write && write.rule.id);
  assert.deepEqual([idOf(rule), idOf(null)], [[4], [9]]);
});
