import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Invitation, Person, Rule } from '#core/access/people.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Facts, Write } from '#core/change.ts';
import { acceptInvitation, changeRole, grant, removeMember, revoke, settle } from './member-changes.ts';

const at = new Date(0);
const now = new Date(1000);
const [team, user] = [3, 7];
const source = 'qa/ada';

const person: Person = {
  ...{ id: user, email: 'ada@app.test', createdAt: at, passwordHash: null, emailVerified: true },
  ...{ disabledAt: null, groups: ['devs'] },
};
const rule: Rule = { id: 1, source, team, email: 'ada@app.test', group: null, role: 'member' };
const invitation: Invitation = {
  ...{ id: 5, team, role: 'member', email: null, createdBy: 1, createdAt: at, expiresAt: now },
};

/** Facts about a user who is not a member, in a team with two owners and room for more. */
const facts = (more: Partial<Facts> = {}): Facts =>
  ({
    team: { id: team, name: 'Checkout', kind: 'shared', createdAt: at },
    user: person,
    member: null,
    hasOtherOwner: true,
    members: 1,
    teams: 1,
    rule,
    invitation,
    ...more,
  }) as Facts;

const direct = (role: Role): Grant => ({ source: 'direct', role });
const byGroup = (role: Role): Grant => ({ source: 'group', role });
const byRule = (role: Role): Grant => ({ source, role });
const has = (...grants: Grant[]) => ({ member: { grants, joinedAt: at } });

const put = (grants: Grant[], joinedAt = at, suspended = false): Write => {
  return { do: 'put-member', team, user, grants, joinedAt, suspended };
};
const own = { team, createdBy: user };
const endInvitations: Write = { do: 'end-invitations', where: own };
const endShares: Write = { do: 'end-shares', where: own };
const leave: Write[] = [
  endShares,
  { do: 'remove-members', where: { team, user } },
  { do: 'end-keys', where: own },
];
const useUp: Write = { do: 'end-invitations', where: { ids: [5] } };

/** Case name, its facts, and the writes, or the error message. */
type Case = [name: string, facts: Partial<Facts>, wanted: Write[] | RegExp];

function table(change: string, plan: (facts: Facts) => { writes: Write[] }, cases: Case[]): void {
  for (const [name, more, wanted] of cases) {
    test(`${change}: ${name}`, () => {
      if (wanted instanceof RegExp) assert.throws(() => plan(facts(more)), { message: wanted });
      else assert.deepEqual(plan(facts(more)).writes, wanted);
    });
  }
}

const place = { team, user };

table('grant', (given) => grant.plan(given, { ...place, grant: direct('member'), now, most: 3 }), [
  ['a new member joins now', {}, [put([direct('member')], now)]],
  [
    'a disabled one is suspended',
    { user: { ...person, disabledAt: at } },
    [put([direct('member')], now, true)],
  ],
  ['a grant of the same source is replaced', has(direct('viewer')), [put([direct('member')])]],
  ['one of another is added', has(byGroup('owner')), [put([byGroup('owner'), direct('member')])]],
  [
    'an owner who stops being one loses their invitations',
    has(direct('owner')),
    [endInvitations, put([direct('member')])],
  ],
  [
    'a member needs no room',
    { members: 3, ...has(byGroup('viewer')) },
    [put([byGroup('viewer'), direct('member')])],
  ],
  ['a full team takes none', { members: 3 }, /^role: the limit of 3 members has been reached$/],
  ['no team', { team: null }, []],
  ['no user', { user: null }, []],
]);

table('revoke', (given) => revoke.plan(given, { ...place, source: 'direct' }), [
  ['the last grant takes membership and keys', has(direct('member')), leave],
  ['of an owner the invitations too', has(direct('owner')), [endInvitations, ...leave]],
  [
    'another grant stays',
    has(direct('owner'), byGroup('member')),
    [endInvitations, put([byGroup('member')])],
  ],
  [
    'one that only reads takes share links',
    has(direct('member'), byGroup('viewer')),
    [endShares, put([byGroup('viewer')])],
  ],
  ['an owner by a group stays one', has(direct('owner'), byGroup('owner')), [put([byGroup('owner')])]],
  ['no such grant', has(byGroup('member')), []],
  ['no member', {}, []],
]);

table('revoke of all', (given) => revoke.plan(given, { ...place, source: null }), [
  ['all grants end', has(direct('owner'), byGroup('viewer')), [endInvitations, ...leave]],
]);

const refusals: Case[] = [
  ['no member', {}, /^$/],
  ['by a group', has(byGroup('member')), /comes from an identity provider group; change it there$/],
  [
    'by a resource too',
    has(direct('member'), byRule('viewer')),
    /comes from the Kubernetes resource qa\/ada; change it there$/,
  ],
];

table('change of a role', (given) => changeRole.plan(given, { ...place, role: 'member' }), [
  ...refusals,
  ['a viewer', has(direct('viewer')), [put([direct('member')])]],
  ['one of two owners', has(direct('owner')), [endInvitations, put([direct('member')])]],
  [
    'the last owner',
    { hasOtherOwner: false, ...has(direct('owner')) },
    /^role: can't change for the last owner/,
  ],
]);

table('removal', (given) => removeMember.plan(given, place), [
  ...refusals,
  ['a member', { hasOtherOwner: false, ...has(direct('member')) }, leave],
  ['one of two owners', has(direct('owner')), [endInvitations, ...leave]],
  ['the last owner', { hasOtherOwner: false, ...has(direct('owner')) }, /^userId: is the last owner/],
]);

test('a user stays in the personal team', () => {
  const given = facts(has(direct('owner')));
  const personal = { team: user, user };
  const message = /can't be changed or removed: this is the user's personal team$/;
  assert.throws(() => changeRole.plan(given, { ...personal, role: 'viewer' }), { message });
  assert.throws(() => removeMember.plan(given, personal), { message });
});

const ofGroup = { email: null, group: 'devs' };
table('settle', (given) => settle.plan(given, { ...place, rule: source, now, most: 3 }), [
  ['a rule for the e-mail', {}, [put([byRule('member')], now)]],
  ['a rule for a group', { rule: { ...rule, ...ofGroup } }, [put([byRule('member')], now)]],
  ['a rule for another e-mail', { rule: { ...rule, email: 'bob@app.test' } }, []],
  ['a rule for another group', { rule: { ...rule, ...ofGroup, group: 'ops' } }, []],
  ['a rule of another team', { rule: { ...rule, team: 4 } }, []],
  ['the membership is as the rule', has(byRule('member')), []],
  ['another role', has(byRule('owner')), [endInvitations, put([byRule('member')])]],
  ['a rule that has ended', { rule: { ...rule, role: null }, ...has(byRule('viewer')) }, leave],
  ['no rule', { rule: null, ...has(byRule('viewer'), direct('member')) }, [put([direct('member')])]],
  ['no team', { team: null }, []],
  ['no user', { user: null }, []],
  ['a full team', { members: 3 }, /^role: the limit of 3 members has been reached/],
]);

test('a settled membership shows the role of all grants before and after', () => {
  const plan = (more: Partial<Facts>) => settle.plan(facts(more), { ...place, rule: source, now }).result;
  const email = person.email;
  assert.deepEqual(plan({}), { email, before: null, after: 'member' });
  assert.deepEqual(plan(has(direct('owner'))), { email, before: 'owner', after: 'owner' });
  assert.deepEqual(plan({ rule: null, ...has(byRule('viewer')) }), { email, before: 'viewer', after: null });
});

const most = { members: 3, teams: 5 };
table('acceptance', (given) => acceptInvitation.plan(given, { ...place, invitation: 'h', now, most }), [
  ['somebody new', {}, [useUp, put([direct('member')], now)]],
  ['a higher role stays', has(direct('owner')), [useUp, put([direct('owner')])]],
  ['a lower one rises', has(direct('viewer')), [useUp, put([direct('member')])]],
  ['that of a group stays apart', has(byGroup('owner')), [useUp, put([byGroup('owner'), direct('member')])]],
  [
    'for this e-mail',
    { invitation: { ...invitation, email: person.email } },
    [useUp, put([direct('member')], now)],
  ],
  [
    'for another e-mail',
    { invitation: { ...invitation, email: 'bob@app.test' } },
    /for another email address: sign in with that address$/,
  ],
  ['used or over', { invitation: null }, /it was used or revoked, or is more than seven days old$/],
  ['no team', { team: null }, /it was used or revoked/],
  ['a full team', { members: 3 }, /^token: is for a team that already has 3 members, which is the limit$/],
  [
    'a user in too many teams',
    { teams: 5 },
    /^token: can't be used: you are already in 5 teams, which is the limit$/,
  ],
  [
    'who is in needs no room',
    { members: 3, teams: 5, ...has(byGroup('viewer')) },
    [useUp, put([byGroup('viewer'), direct('member')])],
  ],
]);
