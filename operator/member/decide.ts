import { parseEmail } from '#core/access/email.ts';
import type { MemberRule } from '#core/access/people.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Member } from '#core/teams/team.ts';
import {
  type CommonStep,
  finalizerStep,
  notReady,
  type Report,
  recheckMs,
  reportOf,
  type View,
} from '../reconcile.ts';
import { type Finding, ready } from '../runtime/conditions.ts';
import { isDeleted, type ResourceOf } from '../runtime/resource.ts';
import { isUncertain, unknownFields, wantedOf } from '../spec.ts';

/** Member resource: membership of one user, or of all users in a group, in the namespace's team. */
export type MemberResource = ResourceOf<
  'Member',
  { email?: string; group?: string; role?: Role },
  { role?: Role; userId?: number; members?: number }
>;

/** Returns the subject of the rule that a resource stands for. */
export function subjectOf({ spec: { email, group } }: MemberResource) {
  return { email: email === undefined ? null : (parseEmail(email) ?? email), group: group ?? null };
}

/**
 * `rule` is the resource's stored rule. `member` is its user as a team member. It is null if the user is not a member, or if the subject
 * is a group. `unsettled` is the number of memberships that differ from the rule.
 */
export type MemberView = View<MemberResource> & {
  rule: MemberRule | null;
  member: Pick<Member, 'role' | 'grants'> | null;
  unsettled: number;
};

export type MemberEffect = { do: 'put'; role: Role } | { do: 'settle' } | { do: 'end' };

/** Fields that are required before anybody becomes a member. */
const powers = ['role'];

/** Returns the next step toward a Member's spec. */
export function decideMember(view: MemberView): CommonStep<MemberResource> | MemberEffect {
  const { resource, rule, unsettled, lacking } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  if (isDeleted(resource)) {
    return rule === null && unsettled === 0 ? { do: 'remove-finalizer' } : { do: 'end' };
  }
  const stored = rule?.role == null ? null : { role: rule.role };
  if (
    stored === null &&
    resource.spec.role === undefined &&
    (lacking.includes('role') || isUncertain(resource))
  ) {
    return notReady(unknownFields('members', lacking, powers));
  }
  const { wanted, kept } = wantedOf(view, { role: resource.spec.role }, { role: 'member' as Role }, stored);
  const { role } = wanted;
  if (rule === null || isOutdated(view, rule, role)) return { do: 'put', role };
  return unsettled > 0 ? { do: 'settle' } : { ...upToDate(view, rule, role), isApplied: true, kept };
}

function isOutdated({ resource, owner }: MemberView, rule: MemberRule, role: Role): boolean {
  const { email, group } = subjectOf(resource);
  return rule.team !== owner || rule.email !== email || rule.group !== group || rule.role !== role;
}

function upToDate(
  { resource, member }: MemberView,
  { members }: MemberRule,
  role: Role,
): Report<MemberResource> {
  const { email } = subjectOf(resource);
  const [userId] = members;
  const own = email !== null && userId !== undefined && { userId };
  const findings = findingsOf(resource, role, members.length, member);
  // By then, an interrupted sign-in has been repaired.
  return reportOf({ role, ...own, members: members.length }, findings, recheckMs);
}

/** A rule is ready even if it has no member yet, so nothing has to wait for a colleague who has not signed in. */
function findingsOf(
  resource: MemberResource,
  role: Role,
  members: number,
  member: MemberView['member'],
): Finding[] {
  const { email, group } = subjectOf(resource);
  if (email === null) return ready('GroupAdmitted', `members of the group ${group} have the role ${role}`);
  const stronger =
    member?.role === role ? undefined : member?.grants.find((grant) => grant.role === member.role);
  if (stronger !== undefined) {
    const message = `${email} has the role ${stronger.role} through ${giverOf(stronger)}; this Member grants ${role}`;
    return ready('Joined', message);
  }
  if (members > 0) return ready('Joined', `${email} has the role ${role}`);
  const message = `${email} has not registered yet and will get the role ${role} at first sign-in`;
  return ready('NotRegistered', message);
}

function giverOf({ source }: Grant): string {
  if (source === 'direct') return 'an invitation';
  return source === 'group' ? 'an identity provider group' : `the Member ${source}`;
}
