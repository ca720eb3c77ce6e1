import type { Invalid } from '#core/errors.ts';
import type { MemberRule } from '#core/teams/member-rule.ts';
import { type CommonStep, finalizerStep, notReady, type Report, recheckMs, type View } from '../reconcile.ts';
import { type Finding, ready, stalled } from '../runtime/conditions.ts';
import { isDeleted } from '../runtime/resource.ts';
import { type MemberResource, ruleOf } from './resource.ts';

/** `rule` is the stored one of the resource. `unsettled` counts the memberships that differ from it. */
export type MemberView = View<MemberResource> & { rule: MemberRule | null; unsettled: number };

export type MemberEffect = { do: 'put' } | { do: 'settle' } | { do: 'end' };

/** Returns the next step towards the spec of a Member. */
export function decideMember(view: MemberView): CommonStep<MemberResource> | MemberEffect {
  const { resource, rule, unsettled } = view;
  const step = finalizerStep(resource);
  if (step !== null) return step;
  if (isDeleted(resource)) {
    return rule === null && unsettled === 0 ? { do: 'remove-finalizer' } : { do: 'end' };
  }
  if (rule === null || isOutdated(view, rule)) return { do: 'put' };
  return unsettled > 0 ? { do: 'settle' } : upToDate(resource, rule);
}

/** Reports the core's message, such as that the team has too many members. */
export function memberRefused(_view: MemberView, refusal: Invalid): Report<MemberResource> {
  return notReady(stalled('Refused', refusal.violations.map(({ message }) => message).join('; ')));
}

function isOutdated({ resource, owner }: MemberView, rule: MemberRule): boolean {
  const { email, group, role } = ruleOf(resource);
  return rule.team !== owner || rule.email !== email || rule.group !== group || rule.role !== role;
}

function upToDate(resource: MemberResource, { members }: MemberRule): Report<MemberResource> {
  const { email, role } = ruleOf(resource);
  const [userId] = members;
  return {
    do: 'report',
    fields: {
      role,
      ...(email === null || userId === undefined ? {} : { userId }),
      members: members.length,
    },
    findings: findingsOf(resource, members.length),
    // A sign-in that was interrupted is made good by then.
    requeueAfterMs: recheckMs,
  };
}

/** A rule without a member is ready, so that nothing waits for a colleague who has not signed in yet. */
function findingsOf(resource: MemberResource, members: number): Finding[] {
  const { email, group, role } = ruleOf(resource);
  if (email === null) return ready('GroupAdmitted', `people of the group ${group} have the role ${role}`);
  return members > 0
    ? ready('Joined', `${email} has the role ${role}`)
    : ready('NotRegistered', `${email} is no user yet, and has the role ${role} from the first sign-in on`);
}
