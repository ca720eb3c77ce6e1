import type { DatabaseSync } from 'node:sqlite';
import { membershipRows, rankOf, roleOfRank } from '#adapters/stores/sqlite/teams/memberships.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { MembershipSource, TeamKind } from '#core/access/grant.ts';
import type { Surroundings, TakeOver } from '#core/access/take-over.ts';
import type { Id } from '#core/ids.ts';
import { isNotDeleted } from './soft-delete.ts';

type GrantRow = {
  team: number;
  name: string;
  kind: TeamKind;
  user: number;
  email: string;
  source: MembershipSource;
  role: number;
  shared: number;
};
type OwnedRow = { id: number; team: number; createdBy: number | null };

/** Reading and writing of the state that a takeover changes. The functions run in the caller's transaction. */
export function takeOvers(db: DatabaseSync): {
  surroundings(user: Id): Surroundings | null;
  takeOver(taken: TakeOver): void;
} {
  const { remove } = membershipRows(db);
  const user = query<{ verified: number }>(
    db,
    'SELECT email_verified AS verified FROM user WHERE id = :user',
  );
  const grants = query<GrantRow>(
    db,
    `SELECT m.team_id AS team, t.name, t.kind, m.user_id AS user, u.email, m.source, m.role,
       EXISTS (SELECT 1 FROM membership o WHERE o.team_id = m.team_id AND o.user_id <> m.user_id
         AND o.role = ${rankOf('owner')}) AS shared
     FROM membership m JOIN team t ON t.id = m.team_id JOIN user u ON u.id = m.user_id
     WHERE m.team_id = :user OR m.user_id = :user`,
  );
  const keys = query<OwnedRow & { name: string }>(
    db,
    'SELECT id, owner AS team, name, created_by AS createdBy FROM api_key WHERE owner = :user OR created_by = :user',
  );
  const accounts = query<{ id: number; address: string }>(
    db,
    `SELECT id, address FROM account INDEXED BY account_owner
     WHERE owner = :user AND password_hash IS NOT NULL AND ${isNotDeleted('account')}`,
  );
  const invitations = query<OwnedRow>(
    db,
    'SELECT id, team_id AS team, created_by AS createdBy FROM invitation WHERE team_id = :user OR created_by = :user',
  );
  const endSessions = query(db, 'DELETE FROM session WHERE key_id = :id');
  const removeKey = query(db, 'DELETE FROM api_key WHERE id = :id');
  const removePassword = query(db, 'UPDATE account SET password_hash = NULL WHERE id = :id');
  const removeInvitation = query(db, 'DELETE FROM invitation WHERE id = :id');
  return {
    surroundings(id) {
      const found = user.get({ user: id });
      if (found === undefined) return null;
      const rows = Map.groupBy(grants.all({ user: id }), (row) => `${row.team}/${row.user}`);
      return {
        user: id,
        emailVerified: found.verified === 1,
        memberships: [...rows.values()].flatMap((own) =>
          own.slice(0, 1).map((row) => toMembership(row, own)),
        ),
        keys: keys.all({ user: id }),
        accounts: accounts.all({ user: id }),
        invitations: invitations.all({ user: id }),
      };
    },
    takeOver(taken) {
      for (const { team, user: member } of taken.left) remove(team.id, member.id, 'direct');
      for (const { id } of taken.keys) {
        endSessions.run({ id });
        removeKey.run({ id });
      }
      for (const { id } of taken.accounts) removePassword.run({ id });
      for (const { id } of taken.invitations) removeInvitation.run({ id });
    },
  };
}

function toMembership({ team, name, kind, user, email, shared }: GrantRow, own: GrantRow[]) {
  return {
    user: { id: user, email },
    team: { id: team, name, kind },
    grants: own.map(({ source, role }) => ({ source, role: roleOfRank(role) ?? 'viewer' })),
    hasOtherOwner: shared === 1,
  };
}
