import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { roleOfRank } from '#adapters/stores/sqlite/teams/memberships.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { date, onePage, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import type { ApiKey, ApiKeyStore, KeyHolder, KeyScope } from '#core/access/access.ts';
import { NotFound } from '#core/errors.ts';
import { offsetOf } from '#core/page.ts';
import { quota } from './quota.ts';
import { toUser } from './users.ts';

export type ApiKeyReads = Sync<Pick<ApiKeyStore, 'list' | 'listManaged' | 'find' | 'findByHash'>>;
export type ApiKeyWrites = Sync<Pick<ApiKeyStore, 'insert' | 'touch' | 'remove'>>;

type Row = {
  id: number;
  owner: number;
  name: string;
  prefix: string;
  scope: KeyScope;
  expires_at: number | null;
  created_by: number | null;
  email: string;
  user_since: number;
  managed_by: string | null;
  created_at: number;
  last_used_at: number | null;
};

const columns = `k.id, k.owner, k.name, k.prefix, k.scope, k.expires_at, k.created_by, k.managed_by, k.created_at,
  k.last_used_at, u.email, u.created_at AS user_since`;
const source = 'FROM api_key k LEFT JOIN user u ON u.id = k.created_by';

function toApiKey(row: Row): ApiKey {
  const { id, owner, name, prefix, scope, created_by: creator, email, user_since } = row;
  return {
    id,
    owner,
    name,
    prefix,
    scope,
    expiresAt: date(row.expires_at),
    createdBy: creator === null ? null : toUser({ id: creator, email, created_at: user_since }),
    managedBy: row.managed_by,
    createdAt: new Date(row.created_at),
    lastUsedAt: date(row.last_used_at),
  };
}

/** Returns a function that finds the holder of the one key that fits a condition. */
export function keyHolder(
  db: DatabaseSync,
  condition: string,
): (bound: Record<string, SQLInputValue>) => KeyHolder | null {
  const find = query<Row & { rank: number | null }>(
    db,
    `SELECT ${columns}, (SELECT max(role) FROM membership WHERE team_id = k.owner AND user_id = k.created_by) AS rank
     ${source} WHERE ${condition} AND u.disabled_at IS NULL`,
  );
  return (bound) => {
    const row = find.get(bound);
    if (row === undefined) return null;
    const role = row.created_by === null ? 'member' : roleOfRank(row.rank);
    return role && { key: toApiKey(row), role };
  };
}

export function apiKeyReads(db: DatabaseSync): ApiKeyReads {
  const list = query<Row>(
    db,
    `SELECT ${columns} ${source} WHERE k.owner = :owner
     ORDER BY k.id DESC ${onePage}`,
  );
  const count = query<{ total: number }>(db, 'SELECT count(*) AS total FROM api_key WHERE owner = :owner');
  const managed = query<Row>(
    db,
    `SELECT ${columns} ${source} WHERE k.owner = :owner AND k.managed_by IS NOT NULL`,
  );
  const byId = query<Row>(db, `SELECT ${columns} ${source} WHERE k.id = :id AND k.owner = :owner`);
  const holderOf = keyHolder(db, 'k.hash = :hash');
  return {
    list(owner, page) {
      const items = list.all({ owner, limit: page.limit, offset: offsetOf(page) }).map(toApiKey);
      return { items, total: count.get({ owner })?.total ?? 0 };
    },
    listManaged: (owner) => managed.all({ owner }).map(toApiKey),
    find(owner, id) {
      const row = byId.get({ owner, id });
      return row === undefined ? null : toApiKey(row);
    },
    findByHash: (hash) => holderOf({ hash }),
  };
}

export function apiKeyWrites(db: DatabaseSync): ApiKeyWrites {
  const { find } = apiKeyReads(db);
  const checkQuota = quota(db, 'FROM api_key WHERE owner = :owner');
  const team = query<{ id: number }>(db, 'SELECT id FROM team WHERE id = :owner AND deleted_at IS NULL');
  const user = query<{ id: number }>(db, 'SELECT id FROM user WHERE id = :id');
  const membership = query<{ role: number }>(
    db,
    'SELECT role FROM membership WHERE team_id = :owner AND user_id = :id LIMIT 1',
  );
  const insert = query(
    db,
    `INSERT INTO api_key (owner, name, prefix, hash, scope, expires_at, created_by, managed_by, created_at)
     VALUES (:owner, :name, :prefix, :hash, :scope, :expires, :creator, :managedBy, :at)
     ON CONFLICT (hash) DO NOTHING`,
  );
  const touch = query(db, 'UPDATE api_key SET last_used_at = :at WHERE id = :id');
  const remove = query(db, 'DELETE FROM api_key WHERE id = :id AND owner = :owner');
  const endSessions = query(
    db,
    'DELETE FROM session WHERE key_id = (SELECT id FROM api_key WHERE id = :id AND owner = :owner)',
  );
  return {
    insert(owner, { name, prefix, hash, scope = 'full', createdAt, ...more }, options = {}) {
      const { expiresAt = null, createdBy = null, managedBy = null } = more;
      if (team.get({ owner }) === undefined) throw new NotFound();
      if (createdBy !== null) {
        const { id } = createdBy;
        const found = options.byMember ? membership.get({ owner, id }) : user.get({ id });
        if (found === undefined) throw new NotFound();
      }
      checkQuota({ owner }, options.most);
      const bound = { owner, name, prefix, hash, scope, managedBy, at: createdAt.getTime() };
      const { changes, id } = insert.run({
        ...bound,
        expires: time(expiresAt),
        creator: createdBy?.id ?? null,
      });
      return changes === 0 ? null : find(owner, id);
    },
    touch(id, now) {
      touch.run({ id, at: now.getTime() });
    },
    remove(owner, id) {
      endSessions.run({ id, owner });
      return remove.run({ id, owner }).changes === 1;
    },
  };
}
