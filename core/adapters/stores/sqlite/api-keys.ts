import type { DatabaseSync } from 'node:sqlite';
import type { ApiKey, ApiKeyStore } from '#core/access/access.ts';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { date, onePage, query } from '#core/adapters/stores/sqlite/workers/query.ts';
import { offsetOf } from '#core/page.ts';
import { quota } from './quota.ts';
import { toUser, type UserRow } from './users.ts';

export type ApiKeyReads = Sync<Pick<ApiKeyStore, 'list' | 'listManaged' | 'find' | 'findByHash'>>;
export type ApiKeyWrites = Sync<Pick<ApiKeyStore, 'insert' | 'touch' | 'remove'>>;

type Row = {
  id: number;
  name: string;
  prefix: string;
  managed_by: string | null;
  created_at: number;
  last_used_at: number | null;
};

const columns = 'id, name, prefix, managed_by, created_at, last_used_at';

function toApiKey({ id, name, prefix, managed_by, created_at, last_used_at }: Row): ApiKey {
  const times = { createdAt: new Date(created_at), lastUsedAt: date(last_used_at) };
  return { id, name, prefix, managedBy: managed_by, ...times };
}

export function apiKeyReads(db: DatabaseSync): ApiKeyReads {
  const list = query<Row>(
    db,
    `SELECT ${columns} FROM api_key WHERE owner = :owner
     ORDER BY id DESC ${onePage}`,
  );
  const count = query<{ total: number }>(db, 'SELECT count(*) AS total FROM api_key WHERE owner = :owner');
  const managed = query<Row>(
    db,
    `SELECT ${columns} FROM api_key WHERE owner = :owner AND managed_by IS NOT NULL`,
  );
  const byId = query<Row>(db, `SELECT ${columns} FROM api_key WHERE id = :id AND owner = :owner`);
  const byHash = query<Row & Omit<UserRow, 'id' | 'created_at'> & { user_id: number; user_since: number }>(
    db,
    `SELECT k.id, k.name, k.prefix, k.managed_by, k.created_at, k.last_used_at, u.id AS user_id, u.email, u.password_hash,
       u.created_at AS user_since
     FROM api_key k JOIN user u ON u.id = k.owner WHERE k.hash = :hash`,
  );
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
    findByHash(hash) {
      const row = byHash.get({ hash });
      if (row === undefined) return null;
      return { key: toApiKey(row), user: toUser({ ...row, id: row.user_id, created_at: row.user_since }) };
    },
  };
}

export function apiKeyWrites(db: DatabaseSync): ApiKeyWrites {
  const checkQuota = quota(db, 'FROM api_key WHERE owner = :owner');
  const insert = query(
    db,
    `INSERT INTO api_key (owner, name, prefix, hash, managed_by, created_at)
     VALUES (:owner, :name, :prefix, :hash, :managedBy, :at)
     ON CONFLICT (hash) DO NOTHING`,
  );
  const touch = query(db, 'UPDATE api_key SET last_used_at = :at WHERE id = :id');
  const remove = query(db, 'DELETE FROM api_key WHERE id = :id AND owner = :owner');
  const endSessions = query(db, 'DELETE FROM session WHERE user_id = :owner AND key_id = :id');
  return {
    insert(owner, { name, prefix, hash, managedBy = null, createdAt }, most) {
      checkQuota({ owner }, most);
      const { changes, id } = insert.run({ owner, name, prefix, hash, managedBy, at: createdAt.getTime() });
      return changes === 0 ? null : { id, name, prefix, managedBy, createdAt, lastUsedAt: null };
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
