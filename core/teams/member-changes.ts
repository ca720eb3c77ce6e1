import type { Person, Rule, RuleSource } from '#core/access/people.ts';
import {
  allows,
  type Grant,
  grantsAfter,
  highest,
  type MembershipSource,
  type Role,
  roleBy,
  roleFrom,
  stopsOwning,
} from '#core/access/role.ts';
import { defineChange, type Facts, type Plan, type Write } from '#core/change.ts';
import { invalid, NotFound, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Member, TeamOfMember } from './team.ts';

type Place = { team: Id; user: Id };

const memberQuota = { field: 'role', limit: 'teams.members', things: 'members' } as const;

/**
 * Adds or changes a grant. Returns null if the user or the team does not exist. Throws Invalid if the team already has `most` members.
 */
export const grant = defineChange(
  'grant',
  ['team', 'user', 'member', 'members'],
  (
    facts,
    { grant: { source, role }, now, most }: Place & { grant: Grant; now: Date; most?: number },
  ): Plan<Member | null> => {
    const { team, user, member, members } = facts;
    if (team === null || user === null) return { writes: [], result: null };
    if (member === null) requireRoom(members, { ...memberQuota, most });
    const grants = grantsAfter(member?.grants ?? [], source, role);
    const joinedAt = member?.joinedAt ?? now;
    return {
      writes: writesOf(facts, team.id, user.id, grants, joinedAt),
      result: { userId: user.id, email: user.email, role: roleBy(grants), grants, joinedAt },
    };
  },
);

/** Ends the grant from one source, or all grants (null). Returns false if there is no such grant. */
export const revoke = defineChange(
  'revoke',
  ['member', 'user'],
  (facts, { team, user, source }: Place & { source: MembershipSource | null }): Plan<boolean> => {
    const { member } = facts;
    const after = member === null || source === null ? [] : grantsAfter(member.grants, source, null);
    if (member === null || after.length === member.grants.length) return { writes: [], result: false };
    return { writes: writesOf(facts, team, user, after, member.joinedAt), result: true };
  },
);

/**
 * Changes a member's role. Throws NotFound. Throws Invalid for the last owner, for the user of a personal team, and for a membership that
 * comes from a group or a Kubernetes resource.
 */
export const changeRole = defineChange(
  'changeRole',
  ['team', 'user', 'member', 'hasOtherOwner'],
  (facts, { role, team, user }: Place & { role: Role }): Plan<Member> => {
    const member = directMember(facts, team, user, 'role');
    const grants: Grant[] = [{ source: 'direct', role }];
    if (stopsOwning(member.grants, grants) && !facts.hasOtherOwner)
      throw invalid('role', "can't change for the last owner: make someone else an owner first");
    return {
      writes: writesOf(facts, team, user, grants, member.joinedAt),
      result: { ...member, role, grants },
    };
  },
);

/** Ends a membership. Returns the former membership. Throws the same errors as `changeRole`. */
export const removeMember = defineChange(
  'removeMember',
  ['team', 'user', 'member', 'hasOtherOwner'],
  (facts, { team, user }: Place): Plan<Member> => {
    const member = directMember(facts, team, user, 'userId');
    if (member.role === 'owner' && !facts.hasOtherOwner)
      throw invalid('userId', "is the last owner, who can't leave: make someone else an owner first");
    return { writes: writesOf(facts, team, user, [], member.joinedAt), result: member };
  },
);

function directMember(
  { user: person, member }: Pick<Facts, 'user' | 'member'>,
  team: Id,
  user: Id,
  field: string,
): Member {
  if (member === null) throw new NotFound();
  if (user === team) throw invalid(field, "can't be changed or removed: this is the user's personal team");
  const other = member.grants.find(({ source }) => source !== 'direct')?.source;
  if (other === 'group') throw invalid(field, 'comes from an identity provider group; change it there');
  if (other !== undefined)
    throw invalid(field, `comes from the Kubernetes resource ${other}; change it there`);
  return { userId: user, email: person?.email ?? '', role: roleBy(member.grants), ...member };
}

/** Change of a membership: the user's role in the team before and after the change, null for no membership. */
type Settled = { email: string; before: Role | null; after: Role | null };

/**
 * Updates a membership to match its rule. Reads the current state of both. Returns null if nothing changed. Throws Invalid if the team
 * already has `most` members.
 */
export const settle = defineChange(
  'settle',
  ['team', 'user', 'member', 'members', 'rule'],
  (
    facts,
    { team, user, rule: source, now, most }: Place & { rule: RuleSource; now: Date; most?: number },
  ): Plan<Settled | null> => {
    const { user: person, member, rule } = facts;
    const nothing = { writes: [], result: null };
    if (person === null) return nothing;
    const wanted = rule?.team === team ? roleByRule(rule, person) : null;
    if (wanted === roleFrom(member?.grants, source) || (wanted !== null && facts.team === null))
      return nothing;
    if (member === null) requireRoom(facts.members, { ...memberQuota, most });
    const grants = grantsAfter(member?.grants ?? [], source, wanted);
    return {
      writes: writesOf(facts, team, user, grants, member?.joinedAt ?? now),
      result: {
        email: person.email,
        before: member === null ? null : roleBy(member.grants),
        after: grants.length === 0 ? null : roleBy(grants),
      },
    };
  },
);

function roleByRule(rule: Rule, user: Pick<Person, 'email' | 'groups'>): Role | null {
  const isFor = rule.group === null ? rule.email === user.email : user.groups.includes(rule.group);
  return isFor ? rule.role : null;
}

/**
 * Uses up an invitation and makes the user a member, in one step. A user who already is a member keeps the higher role. Throws Invalid if
 * the invitation was used, has expired or is for another email address, if the team already has `most.members`, or if the user is already
 * in `most.teams`.
 */
export const acceptInvitation = defineChange(
  'acceptInvitation',
  ['team', 'user', 'member', 'members', 'teams', 'invitation'],
  (
    facts,
    { now, most }: Place & { invitation: string; now: Date; most: { members: number; teams: number } },
  ): Plan<TeamOfMember> => {
    const { team, user, member, invitation } = facts;
    if (invitation === null || team === null) throw cannotBeAccepted();
    if (user === null || (invitation.email !== null && invitation.email !== user.email))
      throw invalid('token', 'is for another email address: sign in with that address');
    if (member === null && facts.teams >= most.teams)
      throw invalid(
        'token',
        `can't be used: you are already in ${most.teams} teams, which is the limit`,
        'teams.ofUser',
      );
    if (member === null && facts.members >= most.members)
      throw invalid(
        'token',
        `is for a team that already has ${most.members} members, which is the limit`,
        'teams.members',
      );
    const direct = roleFrom(member?.grants, 'direct');
    const role = highest(invitation.role, direct ?? invitation.role);
    const grants = grantsAfter(member?.grants ?? [], 'direct', role);
    return {
      writes: [
        { do: 'end-invitations', where: { ids: [invitation.id] } },
        ...writesOf(facts, team.id, user.id, grants, member?.joinedAt ?? now),
      ],
      result: { ...team, role: roleBy(grants) },
    };
  },
);

/** Creates the error for a token that does not belong to a valid invitation. */
export function cannotBeAccepted(): Error {
  return invalid(
    'token',
    'does not belong to a valid invitation: it was used or revoked, or is more than seven days old',
  );
}

/**
 * Returns the writes that give a member these grants. If the member stops being an owner, the member's invitations end; if the member may
 * only read, share links end; with the last grant, the member's keys in the team end.
 */
function writesOf(
  { member, user: person }: Pick<Facts, 'member' | 'user'>,
  team: Id,
  user: Id,
  grants: Grant[],
  joinedAt: Date,
): Write[] {
  const writes: Write[] = [];
  const where = { team, createdBy: user };
  if (stopsOwning(member?.grants ?? [], grants)) writes.push({ do: 'end-invitations', where });
  if (!allows(roleBy(grants), 'member')) writes.push({ do: 'end-shares', where });
  if (grants.length === 0)
    writes.push({ do: 'remove-members', where: { team, user } }, { do: 'end-keys', where });
  else writes.push({ do: 'put-member', team, user, grants, joinedAt, suspended: person?.disabledAt != null });
  return writes;
}
