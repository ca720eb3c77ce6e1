import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { roleOfRank } from '#adapters/stores/rows/table.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { date, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ApiKeyStore, KeyHolder, KeyScope, SessionStore } from '#core/access/access.ts';
import type { Id } from '#core/ids.ts';
import type { TeamStore } from '#core/teams/team.ts';

/** Reads that each request makes, one statement each. */
export type CallerReads = Sync<
  Pick<ApiKeyStore, 'findByHash'> & Pick<SessionStore, 'find'> & Pick<TeamStore, 'roleOf'>
>;

type KeyRow = {
  id: number;
  owner: number;
  name: string;
  prefix: string;
  scope: KeyScope;
  account_ids: string | null;
  expires_at: number | null;
  created_by: number | null;
  email: string;
  user_since: number;
  managed_by: string | null;
  created_at: number;
  last_used_at: number | null;
  rank: number | null;
};

/** Returns a function that finds the holder of the one key that fits a condition. */
function keyHolder(
  db: DatabaseSync,
  condition: string,
): (bound: Record<string, SQLInputValue>) => KeyHolder | null {
  const find = query<KeyRow>(
    db,
    `SELECT k.id, k.owner, k.name, k.prefix, k.scope, k.account_ids, k.expires_at, k.created_by, k.managed_by, k.created_at,
       k.last_used_at, u.email, u.created_at AS user_since,
       (SELECT max(role) FROM membership WHERE team_id = k.owner AND user_id = k.created_by) AS rank
     FROM api_key k LEFT JOIN user u ON u.id = k.created_by WHERE ${condition} AND u.disabled_at IS NULL`,
  );
  return (bound) => {
    const row = find.get(bound);
    if (row === undefined) return null;
    const { id, owner, name, prefix, scope, created_by: creator, email } = row;
    const accountIds: Id[] | null = row.account_ids === null ? null : JSON.parse(row.account_ids);
    const role = creator === null ? 'member' : roleOfRank(row.rank);
    if (role === null) return null;
    const createdBy = creator === null ? null : { id: creator, email, createdAt: new Date(row.user_since) };
    const dates = {
      expiresAt: date(row.expires_at),
      createdAt: new Date(row.created_at),
      lastUsedAt: date(row.last_used_at),
    };
    const key = {
      id,
      owner,
      name,
      prefix,
      scope,
      accountIds,
      createdBy,
      managedBy: row.managed_by,
      ...dates,
    };
    return { key, role };
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
  const role = query<{ rank: number | null }>(
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
    roleOf: (team, user) => roleOfRank(role.get({ team, user })?.rank ?? null),
  };
}
