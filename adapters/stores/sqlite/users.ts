import type { DatabaseSync } from 'node:sqlite';
import { membershipRows } from '#adapters/stores/sqlite/teams/memberships.ts';
import { teamWrites } from '#adapters/stores/sqlite/teams/teams.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, date, onePage, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import type { User, UserRecord, UserStore } from '#core/access/access.ts';
import { planTakeOver } from '#core/access/take-over.ts';
import { offsetOf } from '#core/page.ts';
import { takeOvers } from './take-overs.ts';

type ReadNames = 'find' | 'findByEmail' | 'findByIdentity' | 'list';
export type UserReads = Sync<Pick<UserStore, ReadNames>>;
export type UserWrites = Sync<Omit<UserStore, ReadNames>>;

type UserRow = {
  id: number;
  email: string;
  password_hash: string | null;
  created_at: number;
  email_verified: number;
  disabled_at: number | null;
};

const columns = 'u.id, u.email, u.password_hash, u.created_at, u.email_verified, u.disabled_at';

export function toUser({ id, email, created_at }: Pick<UserRow, 'id' | 'email' | 'created_at'>): User {
  return { id, email, createdAt: new Date(created_at) };
}

function toRecord(row: UserRow | undefined): UserRecord | null {
  if (row === undefined) return null;
  return {
    user: toUser(row),
    passwordHash: row.password_hash,
    emailVerified: row.email_verified === 1,
    disabledAt: date(row.disabled_at),
  };
}

export function userReads(db: DatabaseSync): UserReads {
  const byId = query<UserRow>(db, `SELECT ${columns} FROM user u WHERE u.id = :id`);
  const byEmail = query<UserRow>(db, `SELECT ${columns} FROM user u WHERE u.email = :email`);
  const byIdentity = query<UserRow>(
    db,
    `SELECT ${columns} FROM identity i JOIN user u ON u.id = i.user_id
     WHERE i.issuer = :issuer AND i.subject = :subject`,
  );
  const list = query<UserRow>(db, `SELECT ${columns} FROM user u ORDER BY u.id ${onePage}`);
  const count = query<{ total: number }>(db, 'SELECT count(*) AS total FROM user');
  return {
    find(id) {
      const row = byId.get({ id });
      return row === undefined ? null : toUser(row);
    },
    findByEmail: (email) => toRecord(byEmail.get({ email })),
    findByIdentity: (identity) => toRecord(byIdentity.get(identity)),
    list(page) {
      const rows = list.all({ limit: page.limit, offset: offsetOf(page) });
      return { items: rows.flatMap((row) => toRecord(row) ?? []), total: count.get()?.total ?? 0 };
    },
  };
}

export function userWrites(db: DatabaseSync): UserWrites {
  const { findByEmail, findByIdentity } = userReads(db);
  const memberships = membershipRows(db);
  const { surroundings, takeOver } = takeOvers(db);
  const { softDelete: softDeleteTeam } = teamWrites(db);
  const makeTeam = query(
    db,
    `INSERT INTO team (name, kind, created_at) SELECT :email, 'personal', :at
     WHERE NOT EXISTS (SELECT 1 FROM user WHERE email = :email)`,
  );
  const insert = query(
    db,
    `INSERT INTO user (id, email, password_hash, created_at, email_verified) VALUES (:id, :email, :hash, :at, :verified)`,
  );
  const addIdentity = query(
    db,
    `INSERT INTO identity (issuer, subject, user_id) VALUES (:issuer, :subject, :user)
     ON CONFLICT DO NOTHING`,
  );
  const setPassword = query(db, 'UPDATE user SET password_hash = :hash WHERE id = :id');
  const verify = query(db, 'UPDATE user SET email_verified = 1 WHERE id = :id');
  const forgetPassword = query(db, 'UPDATE user SET password_hash = NULL WHERE id = :id');
  const setDisabled = query(db, 'UPDATE user SET disabled_at = :at WHERE id = :id');
  const endSessions = query(
    db,
    `DELETE FROM session WHERE user_id = :id OR key_id IN (SELECT id FROM api_key WHERE created_by = :id)`,
  );
  const removeKeys = query(db, 'DELETE FROM api_key WHERE created_by = :id');
  const removeInvitations = query(db, 'DELETE FROM invitation WHERE created_by = :id');
  const removeIdentities = query(db, 'DELETE FROM identity WHERE user_id = :id');
  const addGroup = query(
    db,
    'INSERT INTO user_group (user_id, name) SELECT :id, :name WHERE EXISTS (SELECT 1 FROM user WHERE id = :id)',
  );
  const removeGroups = query(db, 'DELETE FROM user_group WHERE user_id = :id');
  const remove = query(db, 'DELETE FROM user WHERE id = :id');
  return {
    insert(email, passwordHash, now, { emailVerified = false, identity } = {}) {
      if (identity !== undefined && findByIdentity(identity) !== null) return null;
      const at = now.getTime();
      const { changes, id } = makeTeam.run({ email, at });
      if (changes === 0) return null;
      insert.run({ id, email, hash: passwordHash, at, verified: bit(emailVerified) });
      memberships.add(id, id, { source: 'direct', role: 'owner' }, now);
      if (identity !== undefined) addIdentity.run({ ...identity, user: id });
      return findByEmail(email)?.user ?? null;
    },
    setPassword(id, passwordHash) {
      setPassword.run({ id, hash: passwordHash });
    },
    vouch(id, proof) {
      const state = surroundings(id);
      if (state === null) return null;
      if ('identity' in proof && addIdentity.run({ ...proof.identity, user: id }).changes === 0) return null;
      const taken = planTakeOver(state);
      if (taken !== null) {
        endSessions.run({ id });
        takeOver(taken);
        forgetPassword.run({ id });
        verify.run({ id });
      }
      if ('passwordHash' in proof) setPassword.run({ id, hash: proof.passwordHash });
      return { taken };
    },
    setDisabled(id, at) {
      setDisabled.run({ id, at: time(at) });
      if (at === null) return;
      endSessions.run({ id });
      removeInvitations.run({ id });
    },
    setGroups(id, groups) {
      removeGroups.run({ id });
      for (const name of new Set(groups)) addGroup.run({ id, name });
    },
    remove(id, now) {
      softDeleteTeam(id, now);
      endSessions.run({ id });
      removeKeys.run({ id });
      removeInvitations.run({ id });
      removeIdentities.run({ id });
      removeGroups.run({ id });
      memberships.removeUser(id);
      remove.run({ id });
    },
  };
}
