import {
  type Invitation,
  namespacePrefix,
  type Rule,
  type RuleSource,
  type Team,
} from '#core/access/people.ts';
import { type Role, roleBy } from '#core/access/role.ts';
import { endOfTeam, firstOwner } from '#core/access/user-changes.ts';
import { defineChange, type Plan, type Write } from '#core/change.ts';
import { invalid, NotFound, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';

const teamQuota = { field: 'name', limit: 'teams.ofUser', things: 'teams per user' } as const;
const invitationQuota = { field: 'role', limit: 'teams.invitations', things: 'invitations' } as const;
const ruleQuota = { field: 'role', limit: 'teams.memberRules', things: 'Member resources' } as const;

/**
 * Creates a team. If a user is given, the user owns the team. Throws NotFound if the user does not exist, and Invalid if the user is
 * already in `most` teams.
 */
export const addTeam = defineChange(
  'addTeam',
  ['newTeam', 'user', 'teams'],
  (
    { newTeam: id, user, teams },
    given: { user?: Id; name: string; kind: 'shared' | 'managed'; now: Date; most?: number },
  ): Plan<Team> => {
    const { name, kind, now: createdAt } = given;
    const team = { id, name, kind, createdAt, allowsShares: true, clients: null };
    if (given.user === undefined) return { writes: [{ do: 'add-team', team }], result: team };
    if (user === null) throw new NotFound();
    requireRoom(teams, { ...teamQuota, most: given.most });
    const owner = firstOwner(id, user.id, createdAt, user.disabledAt !== null);
    return { writes: [{ do: 'add-team', team }, owner], result: team };
  },
);

/**
 * Renames a team or changes its settings. If the new settings forbid share links, existing links end. Throws NotFound. Throws Invalid for
 * a name that an administrator or a namespace determines.
 */
export const changeTeam = defineChange(
  'changeTeam',
  ['team'],
  (
    { team },
    { team: id, ...set }: { team: Id } & Partial<Pick<Team, 'name' | 'allowsShares' | 'clients'>>,
  ): Plan<Team> => {
    if (team === null) throw new NotFound();
    if (set.name !== undefined && team.kind === 'managed')
      throw invalid('name', 'is reserved for administrators');
    if (set.name !== undefined) refuseNamespace(set.name);
    const writes: Write[] = [{ do: 'set-team', team: id, set }];
    if (set.allowsShares === false) writes.push({ do: 'end-shares', where: { team: id } });
    return { writes, result: { ...team, ...set } };
  },
);

/** Refuses a name that looks like the name of a namespace's team. */
export function refuseNamespace(name: string): void {
  if (name.startsWith(namespacePrefix)) throw invalid('name', `must not begin with ${namespacePrefix}`);
}

/**
 * Marks a team as deleted and ends its memberships, invitations, rules, keys and share links. Its domains and mail are removed later.
 * Throws NotFound. With `byOwner`, throws Invalid for a personal or managed team.
 */
export const deleteTeam = defineChange(
  'deleteTeam',
  ['team'],
  ({ team }, { now, byOwner = false }: { team: Id; now: Date; byOwner?: boolean }): Plan<Team> => {
    if (team === null) throw new NotFound();
    if (byOwner && team.kind === 'personal')
      throw invalid('teamId', "is a personal team, which can't be deleted");
    if (byOwner && team.kind === 'managed')
      throw invalid('teamId', 'is managed: only an administrator can remove it');
    return { writes: endOfTeam(team.id, now), result: team };
  },
);

/**
 * Creates an invitation on behalf of an owner, or of a key without a creator. Throws NotFound if the user is no longer an owner, and
 * Invalid.
 */
export const addInvitation = defineChange(
  'addInvitation',
  ['newInvitation', 'team', 'user', 'member', 'invitations'],
  (
    { newInvitation: id, team, user, member, invitations },
    given: {
      team: Id;
      user?: Id;
      now: Date;
      role: Role;
      email: string | null;
      expiresAt: Date;
      hash: string;
      most?: number;
    },
  ): Plan<Invitation> => {
    const { user: createdBy = null, role, email, now: createdAt, expiresAt, hash } = given;
    const isOwner = user?.disabledAt === null && member !== null && roleBy(member.grants) === 'owner';
    if (team === null || (createdBy !== null && !isOwner))
      throw new NotFound('The team was deleted, or you lost the owner role, during the request');
    requireRoom(invitations, { ...invitationQuota, most: given.most });
    const invitation = { id, team: team.id, role, email, createdBy, createdAt, expiresAt };
    return { writes: [{ do: 'add-invitation', invitation, hash }], result: invitation };
  },
);

/** Revokes an invitation of a team. Returns false if the team has no such invitation. */
export const endInvitation = defineChange(
  'endInvitation',
  ['invitation'],
  ({ invitation }, { team }: { team: Id; invitation: Id }): Plan<boolean> => {
    if (invitation?.team !== team) return { writes: [], result: false };
    return { writes: [{ do: 'end-invitations', where: { ids: [invitation.id] } }], result: true };
  },
);

export const endInvitations = defineChange(
  'endInvitations',
  [],
  (_, { team }: { team: Id }): Plan<void> => ({
    writes: [{ do: 'end-invitations', where: { team } }],
    result: undefined,
  }),
);

/**
 * Replaces the rule of a source. `settle` updates the memberships. Throws NotFound if the team does not exist, and Invalid if it already
 * has `most` rules.
 */
export const putRule = defineChange(
  'putRule',
  ['newRule', 'team', 'rule', 'rules'],
  (
    { newRule, team, rule, rules },
    given: Omit<Rule, 'id' | 'source'> & { rule: RuleSource; most?: number },
  ): Plan<void> => {
    if (team === null) throw new NotFound();
    if (rule === null) requireRoom(rules, { ...ruleQuota, most: given.most });
    const { rule: source, email, group, role } = given;
    const written = { id: rule?.id ?? newRule, source, team: team.id, email, group, role };
    return { writes: [{ do: 'put-rule', rule: written }], result: undefined };
  },
);

export const removeRule = defineChange(
  'removeRule',
  ['rule'],
  ({ rule }, _: { team: Id; rule: RuleSource }): Plan<void> => ({
    writes: rule?.role === null ? [{ do: 'remove-rules', where: { source: rule.source } }] : [],
    result: undefined,
  }),
);
