/** Roles in a team. Each may do all that the roles before it may. */
export const roles = ['viewer', 'member', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Tells whether a role may do what `needed` may. */
export function allows(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}

/** Returns the role that may do most. */
export function highest(first: Role, ...others: Role[]): Role {
  return others.reduce((most, role) => (allows(most, role) ? most : role), first);
}
