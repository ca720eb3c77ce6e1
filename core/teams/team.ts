import type { Team } from '#core/access/people.ts';
import type { Grant, Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';

/** Member of a team. `role` is the highest role among the grants. */
export type Member = { userId: Id; email: string; role: Role; grants: Grant[]; joinedAt: Date };

/** Team in the form that one of its members sees. */
export type TeamOfMember = Team & { role: Role };

export type TeamStore = {
  /** Finds a team by its ID, or a managed team by its name. */
  find(by: Id | { managed: string }): Promise<Team | null>;
  /** Returns a user's role in a team. Returns null if the user is not a member or is disabled, or if the team has been deleted. */
  roleOf(team: Id, user: Id): Promise<Role | null>;
};
