import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { bit, type Query, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import type { Scope, Write } from '#core/access/people.ts';
import { changes } from '#core/teams/changes.ts';
import { factReader } from './facts.ts';
import { rankOf } from './rows.ts';

export type PeopleWrites = {
  /** Plans and writes the change with a name. */
  change(name: string, scope: Scope): unknown;
};

export function peopleWrites(db: DatabaseSync): PeopleWrites {
  const factsOf = factReader(db);
  const write = rowWriter(db);
  return {
    change(name, scope) {
      const change = changes.get(name);
      if (change === undefined) throw new TypeError(`no change ${name}`);
      const { writes, result } = change.plan(factsOf(change.needs, scope), scope as never);
      for (const one of writes) write(one);
      return result;
    },
  };
}

type Bound = Record<string, SQLInputValue>;

/** Returns a function that writes a row, in the caller's transaction. */
export function rowWriter(db: DatabaseSync): (write: Write) => void {
  const known = new Map<string, Query<never>>();
  const run = (sql: string, bound: Bound): void => {
    const prepared = known.get(sql) ?? query(db, sql);
    known.set(sql, prepared);
    prepared.run(bound);
  };
  const insert = (table: string, row: Bound, more = '') =>
    run(
      `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row).map((name) => `:${name}`)}) ${more}`,
      row,
    );
  const remove = (table: string, where: Where) => {
    const { sql, bound } = matching(where);
    run(`DELETE FROM ${table} WHERE ${sql}`, bound);
  };
  const endSessionsOfKeys = (where: Where) => {
    const { sql, bound } = matching(where);
    run(`DELETE FROM session WHERE key_id IN (SELECT id FROM api_key WHERE ${sql})`, bound);
  };
  const writers: { [Do in Write['do']]: (write: Extract<Write, { do: Do }>) => void } = {
    'add-team': ({ team: { id, name, kind, createdAt } }) =>
      insert('team', { id, name, kind, created_at: createdAt.getTime() }),
    'rename-team': ({ team: id, name }) => run('UPDATE team SET name = :name WHERE id = :id', { id, name }),
    'delete-team': ({ team: id, now }) =>
      run('UPDATE team SET deleted_at = :at WHERE id = :id', { id, at: now.getTime() }),
    'add-user': ({ user: { id, email, passwordHash, createdAt, emailVerified } }) =>
      insert('user', {
        ...{ id, email, password_hash: passwordHash, created_at: createdAt.getTime() },
        email_verified: bit(emailVerified),
      }),
    'set-user'({ user: id, set: { passwordHash, emailVerified, disabledAt, groups } }) {
      const set = (column: string, value: SQLInputValue) =>
        run(`UPDATE user SET ${column} = :value WHERE id = :id`, { id, value });
      if (passwordHash !== undefined) set('password_hash', passwordHash);
      if (emailVerified !== undefined) set('email_verified', bit(emailVerified));
      if (disabledAt !== undefined) set('disabled_at', time(disabledAt));
      if (groups === undefined) return;
      remove('user_group', { user_id: id });
      for (const name of groups) insert('user_group', { user_id: id, name });
    },
    'remove-user'({ user }) {
      remove('identity', { user_id: user });
      remove('user_group', { user_id: user });
      remove('user', { id: user });
    },
    'add-identity': ({ user, identity }) => insert('identity', { ...identity, user_id: user }),
    'put-member'({ team, user, grants, joinedAt }) {
      const sources = JSON.stringify(grants.map(({ source }) => source));
      run(
        `DELETE FROM membership WHERE team_id = :team AND user_id = :user
         AND source NOT IN (SELECT value FROM json_each(:sources))`,
        { team, user, sources },
      );
      for (const { source, role } of grants)
        insert(
          'membership',
          { team_id: team, user_id: user, source, role: rankOf(role), at: joinedAt.getTime() },
          'ON CONFLICT (team_id, user_id, source) DO UPDATE SET role = :role',
        );
    },
    'remove-members': ({ where: { team, user } }) => remove('membership', { team_id: team, user_id: user }),
    'add-key'({ key, hash }) {
      const { id, owner, name, prefix, scope, expiresAt, createdBy, createdAt, managedBy } = key;
      const dates = { expires_at: time(expiresAt), created_at: createdAt.getTime() };
      const origin = { created_by: createdBy?.id ?? null, managed_by: managedBy };
      insert('api_key', { id, owner, name, prefix, hash, scope, ...dates, ...origin });
    },
    'end-keys'({ where: { ids, team, createdBy } }) {
      const where = { id: ids, owner: team, created_by: createdBy };
      endSessionsOfKeys(where);
      remove('api_key', where);
    },
    'add-session': ({ session: { hash, userId, keyId, createdAt, expiresAt } }) =>
      insert('session', {
        ...{ hash, user_id: userId, key_id: keyId },
        ...{ begun_at: createdAt.getTime(), expires_at: expiresAt.getTime() },
      }),
    'end-sessions': ({ hashes }) => remove('session', { hash: hashes }),
    'end-sessions-of'({ user, keep, ofKeys }) {
      run('DELETE FROM session WHERE user_id = :user AND hash <> :keep', { user, keep: keep ?? '' });
      if (ofKeys) endSessionsOfKeys({ created_by: user });
    },
    'add-invitation': ({ invitation: { id, team, role, email, createdBy, ...dates }, hash }) =>
      insert('invitation', {
        ...{ id, team_id: team, role: rankOf(role), email, hash, created_by: createdBy },
        ...{ created_at: dates.createdAt.getTime(), expires_at: dates.expiresAt.getTime() },
      }),
    'end-invitations': ({ where: { ids, team, createdBy } }) =>
      remove('invitation', { id: ids, team_id: team, created_by: createdBy }),
    'put-rule': ({ rule: { id, source, team, email, group, role } }) =>
      insert(
        'member_rule',
        { id, source, team_id: team, email, group_name: group, role: role === null ? null : rankOf(role) },
        `ON CONFLICT (source) DO UPDATE SET team_id = :team_id, email = :email, group_name = :group_name, role = :role`,
      ),
    'remove-rules': ({ where: { source, team } }) => remove('member_rule', { source, team_id: team }),
    'remove-passwords': ({ accounts }) =>
      run('UPDATE account SET password_hash = NULL WHERE id IN (SELECT value FROM json_each(:ids))', {
        ids: JSON.stringify(accounts),
      }),
  };
  return (write) => writers[write.do](write as never);
}

/** Values of columns: one, or any of several. A column without a value is left out. */
type Where = Record<string, string | number | (string | number)[] | undefined>;

/** Returns the condition for rows with these values. There is one at least. */
function matching(where: Where): { sql: string; bound: Bound } {
  const terms = Object.entries(where).flatMap(([column, value]) =>
    value === undefined ? [] : [{ column, value }],
  );
  if (terms.length === 0) throw new TypeError('a removal needs a condition');
  return {
    sql: terms
      .map(({ column, value }) =>
        Array.isArray(value)
          ? `${column} IN (SELECT value FROM json_each(:${column}))`
          : `${column} = :${column}`,
      )
      .join(' AND '),
    bound: Object.fromEntries(
      terms.map(({ column, value }) => [column, Array.isArray(value) ? JSON.stringify(value) : value]),
    ),
  };
}
