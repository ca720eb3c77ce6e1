import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { date, pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { ApiKeyStore, SessionStore, UserRecord, UserStore } from '#core/access/access.ts';
import { type KeyRow, keyColumns, keyHolder, keySource, toApiKey, toUser, type UserRow } from './rows.ts';

type RecordRow = UserRow & {
  password_hash: string | null;
  email_verified: number;
  disabled_at: number | null;
};

function toRecord(row: RecordRow): UserRecord {
  return {
    user: toUser(row),
    passwordHash: row.password_hash,
    emailVerified: row.email_verified === 1,
    disabledAt: date(row.disabled_at),
  };
}

export function userReads(db: DatabaseSync): Sync<UserStore> {
  const columns = 'u.id, u.email, u.password_hash, u.created_at, u.email_verified, u.disabled_at';
  const byEmail = query<RecordRow>(db, `SELECT ${columns} FROM user u WHERE u.email = :email`);
  const byIdentity = query<RecordRow>(
    db,
    `SELECT ${columns} FROM identity i JOIN user u ON u.id = i.user_id
     WHERE i.issuer = :issuer AND i.subject = :subject`,
  );
  return {
    find(by) {
      const row = 'email' in by ? byEmail.get(by) : byIdentity.get(by.identity);
      return row === undefined ? null : toRecord(row);
    },
    list: pages(db, { columns, from: 'FROM user u', order: 'u.id' }, toRecord),
  };
}

export function apiKeyReads(db: DatabaseSync): Sync<Omit<ApiKeyStore, 'touch'>> {
  const columns = keyColumns;
  const list = pages(
    db,
    { columns, from: `${keySource} WHERE k.owner = :owner`, order: 'k.id DESC' },
    toApiKey,
  );
  const managed = query<KeyRow>(
    db,
    `SELECT ${columns} ${keySource} WHERE k.owner = :owner AND k.managed_by IS NOT NULL`,
  );
  const holderOf = keyHolder(db, 'k.hash = :hash');
  return {
    list: (owner, page) => list(page, { owner }),
    listManaged: (owner) => managed.all({ owner }).map(toApiKey),
    findByHash: (hash) => holderOf({ hash }),
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

export function sessionReads(db: DatabaseSync): Sync<Pick<SessionStore, 'find'>> {
  const find = query<SessionRow>(
    db,
    `SELECT u.id, u.email, u.created_at, s.key_id, s.begun_at, s.expires_at
     FROM session s LEFT JOIN user u ON u.id = s.user_id WHERE s.hash = :hash AND s.expires_at > :now`,
  );
  const holderOf = keyHolder(db, 'k.id = :id');
  return {
    find(hash, now) {
      const row = find.get({ hash, now: now.getTime() });
      if (row === undefined) return null;
      const { id, email, created_at, key_id, begun_at, expires_at } = row;
      const user = id === null ? null : { user: toUser({ id, email, created_at }) };
      const holder = key_id === null ? user : holderOf({ id: key_id });
      if (holder === null) return null;
      return { holder, createdAt: new Date(begun_at), expiresAt: new Date(expires_at) };
    },
  };
}

export type UseWrites = Sync<Pick<ApiKeyStore, 'touch'> & Omit<SessionStore, 'find'>>;

/** Writes the use of keys and sessions. */
export function useWrites(db: DatabaseSync): UseWrites {
  const touch = query(db, 'UPDATE api_key SET last_used_at = :at WHERE id = :id');
  const extend = query(db, 'UPDATE session SET expires_at = :expires WHERE hash = :hash');
  const remove = query(db, 'DELETE FROM session WHERE hash = :hash');
  return {
    touch(id, now) {
      touch.run({ id, at: now.getTime() });
    },
    extend(hash, expiresAt) {
      extend.run({ hash, expires: expiresAt.getTime() });
    },
    remove(hash) {
      remove.run({ hash });
    },
  };
}
