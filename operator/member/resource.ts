import { parseEmail } from '#core/access/email.ts';
import type { Role } from '#core/access/role.ts';
import type { ResourceOf } from '../runtime/resource.ts';

/** Member resource: the membership of one user, or of the users of a group, in the team of the namespace. */
export type MemberResource = ResourceOf<
  'Member',
  { email?: string; group?: string; role: Role },
  { role?: Role; userId?: number; members?: number }
>;

/** Subject and role that the rule of a resource has. */
export function ruleOf({ spec: { email, group, role } }: MemberResource) {
  return { email: email === undefined ? null : (parseEmail(email) ?? email), group: group ?? null, role };
}
