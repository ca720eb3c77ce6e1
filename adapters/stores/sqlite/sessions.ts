import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { SessionOrigin, SessionStore } from '#core/access/access.ts';
import { keyHolder } from './api-keys.ts';
import { toUser } from './users.ts';

export type SessionReads = Sync<Pick<SessionStore, 'find'>>;
export type SessionWrites = Sync<Omit<SessionStore, 'find'>>;

type Row = {
  id: number | null;
  email: string;
  created_at: number;
  key_id: number | null;
  begun_at: number;
  expires_at: number;
};

export function sessionReads(db: DatabaseSync): SessionReads {
  const find = query<Row>(
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

/** Binds the proof that a session begins with. Proofs of other kinds are null. */
function bindProof(origin: SessionOrigin) {
  return {
    key: 'keyId' in origin ? origin.keyId : null,
    password: 'passwordHash' in origin ? origin.passwordHash : null,
    issuer: 'identity' in origin ? origin.identity.issuer : null,
    subject: 'identity' in origin ? origin.identity.subject : null,
  };
}

export function sessionWrites(db: DatabaseSync): SessionWrites {
  const insert = query(
    db,
    `INSERT INTO session (hash, user_id, key_id, begun_at, expires_at)
     SELECT :hash, :user, :key, :begun, :expires
     WHERE EXISTS (SELECT 1 FROM api_key WHERE id = :key AND ifnull(created_by, owner) = :user)
       OR EXISTS (SELECT 1 FROM user WHERE id = :user AND password_hash = :password AND disabled_at IS NULL)
       OR EXISTS (SELECT 1 FROM identity i JOIN user u ON u.id = i.user_id
                  WHERE i.issuer = :issuer AND i.subject = :subject AND u.id = :user AND u.disabled_at IS NULL)`,
  );
  const trim = query(
    db,
    `DELETE FROM session WHERE hash IN (
       SELECT hash FROM session WHERE user_id = :user AND key_id IS :key AND hash <> :hash
       ORDER BY expires_at DESC LIMIT -1 OFFSET :others)`,
  );
  const extend = query(db, 'UPDATE session SET expires_at = :expires WHERE hash = :hash');
  const remove = query(db, 'DELETE FROM session WHERE hash = :hash');
  const removeOthers = query(db, 'DELETE FROM session WHERE user_id = :user AND hash <> :keep');
  const removeExpired = query(db, 'DELETE FROM session WHERE expires_at <= :now');
  return {
    insert({ hash, userId: user, origin, createdAt, expiresAt }, most) {
      const proof = bindProof(origin);
      const times = { begun: createdAt.getTime(), expires: expiresAt.getTime() };
      if (insert.run({ hash, user, ...proof, ...times }).changes === 0) return null;
      return Number(trim.run({ user, key: proof.key, hash, others: most - 1 }).changes);
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
