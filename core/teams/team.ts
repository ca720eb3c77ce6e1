import type { Team } from '#core/access/people.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';

/** Team member. `role` is the highest of the grants. */
export type Member = { userId: Id; email: string; role: Role; grants: Grant[]; joinedAt: Date };

/** Team as one of its members sees it. */
export type TeamOfMember = Team & { role: Role };

export type TeamStore = {
  /** Finds a team by id, or a managed team by name. */
  find(by: Id | { managed: string }): Promise<Team | null>;
  /** Returns a user's role in a team, or null: not a member, a disabled user, or a deleted team. */
  roleOf(team: Id, user: Id): Promise<Role | null>;
};
