import type { DatabaseSync } from 'node:sqlite';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Grant, MembershipSource } from '#core/access/grant.ts';
import { type Role, roles } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';

/** Returns the number that a role is stored as. The highest role has the highest. */
export function rankOf(role: Role): number {
  return roles.indexOf(role) + 1;
}

/** Returns the role that is stored as a number, or null without one. */
export function roleOfRank(rank: number | null): Role | null {
  return rank === null ? null : (roles[rank - 1] ?? null);
}

/** Rows of memberships, one a grant. The functions run in the caller's transaction. */
export type MembershipRows = {
  /** Adds a grant, or changes its role. */
  add(team: Id, user: Id, grant: Grant, now: Date): void;
  /** Removes a grant. Returns false where there is none. */
  remove(team: Id, user: Id, source: MembershipSource): boolean;
  removeUser(user: Id): void;
  removeTeam(team: Id): void;
  /** Tells whether the team has an owner beside the user. */
  hasOtherOwner(team: Id, user: Id): boolean;
  /** Removes the keys that a user made in a team, and the sessions of these keys. */
  revokeKeys(team: Id, user: Id): void;
  /** Removes the invitations that a user made to a team. */
  revokeInvitations(team: Id, user: Id): void;
};

export function membershipRows(db: DatabaseSync): MembershipRows {
  const add = query(
    db,
    `INSERT INTO membership (team_id, user_id, source, role, at) VALUES (:team, :user, :source, :role, :at)
     ON CONFLICT (team_id, user_id, source) DO UPDATE SET role = :role`,
  );
  const remove = query(
    db,
    'DELETE FROM membership WHERE team_id = :team AND user_id = :user AND source = :source',
  );
  const removeUser = query(db, 'DELETE FROM membership WHERE user_id = :user');
  const removeTeam = query(db, 'DELETE FROM membership WHERE team_id = :team');
  const owner = query<{ role: number }>(
    db,
    `SELECT role FROM membership WHERE team_id = :team AND user_id <> :user AND role = ${rankOf('owner')} LIMIT 1`,
  );
  const endSessions = query(
    db,
    'DELETE FROM session WHERE key_id IN (SELECT id FROM api_key WHERE created_by = :user AND owner = :team)',
  );
  const removeKeys = query(db, 'DELETE FROM api_key WHERE created_by = :user AND owner = :team');
  const removeInvitations = query(db, 'DELETE FROM invitation WHERE created_by = :user AND team_id = :team');
  return {
    add(team, user, { source, role }, now) {
      add.run({ team, user, source, role: rankOf(role), at: now.getTime() });
    },
    remove: (team, user, source) => remove.run({ team, user, source }).changes > 0,
    removeUser(user) {
      removeUser.run({ user });
    },
    removeTeam(team) {
      removeTeam.run({ team });
    },
    hasOtherOwner: (team, user) => owner.get({ team, user }) !== undefined,
    revokeKeys(team, user) {
      endSessions.run({ team, user });
      removeKeys.run({ team, user });
    },
    revokeInvitations(team, user) {
      removeInvitations.run({ team, user });
    },
  };
}
