import type { Role } from './role.ts';

export type TeamKind = 'personal' | 'shared' | 'managed';

/**
 * Source of a membership: `direct` for invitations and founders, `group` for groups of the identity provider, or
 * `<namespace>/<name>` of a Member resource. A member may have several; the highest of their roles counts.
 */
export type MembershipSource = 'direct' | 'group' | `${string}/${string}`;
export type Grant = { source: MembershipSource; role: Role };

/** Returns the grants of a member after one of them was set to `role`, or ended (null). */
export function grantsAfter(grants: Grant[], source: MembershipSource, role: Role | null): Grant[] {
  const others = grants.filter((grant) => grant.source !== source);
  return role === null ? others : [...others, { source, role }];
}

/** Tells whether a member who is an owner no longer is one with the grants `after`. */
export function stopsOwning(before: { role: Role } | null, after: Grant[]): boolean {
  return before?.role === 'owner' && !after.some(({ role }) => role === 'owner');
}
