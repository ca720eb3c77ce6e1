import type { DatabaseSync } from 'node:sqlite';
import type { SessionStore } from '#core/access/access.ts';
import type { Sync } from './calls.ts';
import { query } from './query.ts';
import { toUser, type UserRow } from './users.ts';

export type SessionReads = Sync<Pick<SessionStore, 'find'>>;
export type SessionWrites = Sync<Omit<SessionStore, 'find'>>;

export function sessionReads(db: DatabaseSync): SessionReads {
  const find = query<UserRow & { expires_at: number }>(
    db,
    `SELECT u.id, u.email, u.password_hash, u.created_at, s.expires_at
     FROM session s JOIN user u ON u.id = s.user_id WHERE s.hash = :hash AND s.expires_at > :now`,
  );
  return {
    find(hash, now) {
      const row = find.get({ hash, now: now.getTime() });
      return row === undefined ? null : { user: toUser(row), expiresAt: new Date(row.expires_at) };
    },
  };
}

export function sessionWrites(db: DatabaseSync): SessionWrites {
  const insert = query(db, 'INSERT INTO session (hash, user_id, expires_at) VALUES (:hash, :user, :expires)');
  const extend = query(db, 'UPDATE session SET expires_at = :expires WHERE hash = :hash');
  const remove = query(db, 'DELETE FROM session WHERE hash = :hash');
  const removeOthers = query(db, 'DELETE FROM session WHERE user_id = :user AND hash <> :keep');
  const removeExpired = query(db, 'DELETE FROM session WHERE expires_at <= :now');
  return {
    insert(hash, userId, expiresAt) {
      insert.run({ hash, user: userId, expires: expiresAt.getTime() });
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
