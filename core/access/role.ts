/** Roles in a team. Each includes the permissions of the roles before it. */
export const roles = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Checks whether a role includes the permissions of `needed`. */
export function allows(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

export function highest(first: Role, ...others: Role[]): Role {
  return others.reduce((most, role) => (allows(most, role) ? most : role), first);
}

export type TeamKind = 'personal' | 'shared' | 'managed';

/**
 * Source of a membership: `direct` for invitations and founders, `group` for the identity provider's groups, or a Member resource's
 * `<namespace>/<name>`. A membership may have several sources; the highest role counts.
 */
export type MembershipSource = 'direct' | 'group' | `${string}/${string}`;
export type Grant = { source: MembershipSource; role: Role };

export function roleBy(grants: Grant[]): Role {
  return highest('viewer', ...grants.map(({ role }) => role));
}

export function roleFrom(grants: Grant[] | undefined, source: MembershipSource): Role | null {
  return grants?.find((grant) => grant.source === source)?.role ?? null;
}

/** Returns a member's grants after the grant from one source was set to `role`, or ended (null). */
export function grantsAfter(grants: Grant[], source: MembershipSource, role: Role | null): Grant[] {
  const others = grants.filter((grant) => grant.source !== source);
  return role === null ? others : [...others, { source, role }];
}

/** Checks whether an owner would no longer be one with the grants `after`. */
export function stopsOwning(before: Grant[], after: Grant[]): boolean {
  return roleBy(before) === 'owner' && roleBy(after) !== 'owner';
}
