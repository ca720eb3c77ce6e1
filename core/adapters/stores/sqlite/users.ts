import type { DatabaseSync } from 'node:sqlite';
import type { User, UserStore } from '#core/access/access.ts';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { query } from '#core/adapters/stores/sqlite/workers/query.ts';

export type UserReads = Sync<Pick<UserStore, 'find' | 'findByEmail'>>;
export type UserWrites = Sync<Pick<UserStore, 'insert' | 'setPassword'>>;

export type UserRow = { id: number; email: string; password_hash: string | null; created_at: number };

export function toUser({ id, email, created_at }: UserRow): User {
  return { id, email, createdAt: new Date(created_at) };
}

export function userReads(db: DatabaseSync): UserReads {
  const columns = 'SELECT id, email, password_hash, created_at FROM user';
  const byId = query<UserRow>(db, `${columns} WHERE id = :id`);
  const byEmail = query<UserRow>(db, `${columns} WHERE email = :email`);
  return {
    find(id) {
      const row = byId.get({ id });
      return row === undefined ? null : toUser(row);
    },
    findByEmail(email) {
      const row = byEmail.get({ email });
      return row === undefined ? null : { user: toUser(row), passwordHash: row.password_hash };
    },
  };
}

export function userWrites(db: DatabaseSync): UserWrites {
  const insert = query(
    db,
    `INSERT INTO user (email, password_hash, created_at) VALUES (:email, :hash, :at)
     ON CONFLICT (email) DO NOTHING`,
  );
  const setPassword = query(db, 'UPDATE user SET password_hash = :hash WHERE id = :id');
  return {
    insert(email, passwordHash, now) {
      const { changes, id } = insert.run({ email, hash: passwordHash, at: now.getTime() });
      return changes === 0 ? null : { id, email, createdAt: now };
    },
    setPassword(id, passwordHash) {
      setPassword.run({ id, hash: passwordHash });
    },
  };
}
