import type { Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';
import type { Team } from './team.ts';

/**
 * Invitation to a team, for the user with `email` or, without one, for the first who accepts it. `createdBy` is the owner who
 * made it, or null for a key without a creator. It ends when they are disabled or stop being an owner.
 */
export type Invitation = {
  id: Id;
  team: Id;
  role: Role;
  email: string | null;
  createdBy: Id | null;
  createdAt: Date;
  expiresAt: Date;
};

/** Invitations. Each is stored under the SHA-256 (hex) of its token. */
export type InvitationStore = {
  /**
   * Returns null where the team does not exist, or `createdBy` is none of its owners. Throws OverQuota where the team has `most`
   * that have not expired.
   */
  insert(invitation: Omit<Invitation, 'id'> & { hash: string }, most?: number): Promise<Invitation | null>;
  /** Lists the invitations of a team that have not expired, newest first. */
  list(team: Id, now: Date, page: Page): Promise<Slice<Invitation>>;
  remove(team: Id, id: Id): Promise<boolean>;
  /** Finds an invitation that has not expired, with its team. */
  find(hash: string, now: Date): Promise<{ invitation: Invitation; team: Team } | null>;
  /**
   * Uses an invitation up and makes the user a member, both or neither. A member keeps the higher role. Returns null where it
   * was used, has expired, or is for another e-mail. Throws OverQuota where the team has `mostMembers`, or the user is in
   * `mostTeams`.
   */
  accept(
    hash: string,
    user: { id: Id; email: string },
    now: Date,
    most: { members: number; teams: number },
  ): Promise<{ team: Team; role: Role } | null>;
  removeExpired(now: Date): Promise<void>;
};
