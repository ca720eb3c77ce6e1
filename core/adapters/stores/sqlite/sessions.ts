import type { DatabaseSync } from 'node:sqlite';
import type { SessionStore } from '#core/access/access.ts';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';
import { toUser, type UserRow } from './users.ts';

export type SessionReads = Sync<Pick<SessionStore, 'find'>>;
export type SessionWrites = Sync<Omit<SessionStore, 'find'>>;

export function sessionReads(db: DatabaseSync): SessionReads {
  const find = query<UserRow & { begun_at: number; expires_at: number }>(
    db,
    `SELECT u.id, u.email, u.password_hash, u.created_at, s.begun_at, s.expires_at
     FROM session s JOIN user u ON u.id = s.user_id WHERE s.hash = :hash AND s.expires_at > :now`,
  );
  return {
    find(hash, now) {
      const row = find.get({ hash, now: now.getTime() });
      if (row === undefined) return null;
      return { user: toUser(row), createdAt: new Date(row.begun_at), expiresAt: new Date(row.expires_at) };
    },
  };
}

export function sessionWrites(db: DatabaseSync): SessionWrites {
  const insert = query(
    db,
    `INSERT INTO session (hash, user_id, key_id, begun_at, expires_at)
     SELECT :hash, :user, :key, :begun, :expires
     WHERE EXISTS (SELECT 1 FROM api_key WHERE id = :key AND owner = :user)
       OR EXISTS (SELECT 1 FROM user WHERE id = :user AND password_hash = :password)`,
  );
  const trim = query(
    db,
    `DELETE FROM session WHERE hash IN (
       SELECT hash FROM session WHERE user_id = :user AND hash <> :hash
       ORDER BY expires_at DESC LIMIT -1 OFFSET :others)`,
  );
  const extend = query(db, 'UPDATE session SET expires_at = :expires WHERE hash = :hash');
  const remove = query(db, 'DELETE FROM session WHERE hash = :hash');
  const removeOthers = query(db, 'DELETE FROM session WHERE user_id = :user AND hash <> :keep');
  const removeExpired = query(db, 'DELETE FROM session WHERE expires_at <= :now');
  return {
    insert({ hash, userId: user, origin, createdAt, expiresAt }, most) {
      const key = 'keyId' in origin ? origin.keyId : null;
      const password = 'keyId' in origin ? null : origin.passwordHash;
      const times = { begun: createdAt.getTime(), expires: expiresAt.getTime() };
      if (insert.run({ hash, user, key, password, ...times }).changes === 0) return null;
      return Number(trim.run({ user, hash, others: most - 1 }).changes);
    },
    extend(hash, expiresAt) {
      extend.run({ hash, expires: expiresAt.getTime() });
    },
    remove(hash) {
      remove.run({ hash });
    },
    removeOthers(userId, keepHash) {
      removeOthers.run({ user: userId, keep: keepHash });
    },
    removeExpired(now) {
      removeExpired.run({ now: now.getTime() });
    },
  };
}
