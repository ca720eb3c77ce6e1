import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { date, nullable, plain, role, roleOfRank, selection } from '#adapters/stores/rows/table.ts';
import { keyFields } from '#adapters/stores/rows/tables.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ApiKeyStore, KeyHolder, SessionStore } from '#core/access/access.ts';
import type { TeamStore } from '#core/teams/team.ts';

/** Reads that every request needs, each in one statement. */
export type CallerReads = Sync<
  Pick<ApiKeyStore, 'findByHash'> & Pick<SessionStore, 'find'> & Pick<TeamStore, 'roleOf'>
>;

const roleOfCreator = '(SELECT max(role) FROM membership WHERE team_id = k.owner AND user_id = k.created_by)';

/** Fields of a key (k) with its creator's fields (u), and the creator's role in the team. */
const holder = selection(
  {
    ...keyFields,
    email: plain<string>('u.email'),
    userSince: nullable(date('u.created_at')),
    role: { ...nullable(role), columns: [roleOfCreator] },
  },
  'k',
);

/** Returns a function that finds the holder of the only key that meets a condition. */
function keyHolder(
  db: DatabaseSync,
  condition: string,
): (bound: Record<string, SQLInputValue>) => KeyHolder | null {
  const find = query(
    db,
    `SELECT ${holder.columns} FROM api_key k LEFT JOIN user u ON u.id = k.created_by
     WHERE ${condition} AND u.disabled_at IS NULL`,
    holder.toRow,
  );
  return (bound) => {
    const row = find.get(bound);
    if (row === undefined) return null;
    const { email, userSince, role, createdBy: id, ...key } = row;
    if (id === null) return { key: { ...key, createdBy: null }, role: 'member' };
    if (role === null || userSince === null) return null;
    return { key: { ...key, createdBy: { id, email, createdAt: userSince } }, role };
  };
}

type SessionRow = {
  id: number | null;
  email: string;
  created_at: number;
  key_id: number | null;
  begun_at: number;
  expires_at: number;
};

export function callerReads(db: DatabaseSync): CallerReads {
  const keyOfHash = keyHolder(db, 'k.hash = :hash');
  const keyOfId = keyHolder(db, 'k.id = :id');
  const session = query<SessionRow>(
    db,
    `SELECT u.id, u.email, u.created_at, s.key_id, s.begun_at, s.expires_at
     FROM session s LEFT JOIN user u ON u.id = s.user_id WHERE s.hash = :hash AND s.expires_at > :now`,
  );
  const roles = query<{ rank: number | null }>(
    db,
    `SELECT max(m.role) AS rank FROM membership m JOIN user u ON u.id = m.user_id
     WHERE m.team_id = :team AND m.user_id = :user AND u.disabled_at IS NULL`,
  );
  return {
    findByHash: (hash) => keyOfHash({ hash }),
    find(hash, now) {
      const row = session.get({ hash, now: now.getTime() });
      if (row === undefined) return null;
      const { id, email, created_at, key_id } = row;
      const user = id === null ? null : { user: { id, email, createdAt: new Date(created_at) } };
      const holder = key_id === null ? user : keyOfId({ id: key_id });
      if (holder === null) return null;
      return { holder, createdAt: new Date(row.begun_at), expiresAt: new Date(row.expires_at) };
    },
    roleOf: (team, user) => roleOfRank(roles.get({ team, user })?.rank ?? null),
  };
}
