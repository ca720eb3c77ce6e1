import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { bindVerification } from '#adapters/stores/sqlite/domains.ts';
import { failureWrites } from '#adapters/stores/sqlite/failures.ts';
import { mailRuleWrites } from '#adapters/stores/sqlite/mail-rules.ts';
import { rankOf } from '#adapters/stores/sqlite/people/rows.ts';
import { softDeleteContents } from '#adapters/stores/sqlite/soft-delete.ts';
import { bit, type Query, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import { changes } from '#core/all-changes.ts';
import type { Scope, Write } from '#core/change.ts';
import { domainPath } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, pathKey } from '#core/mailboxes/mailbox.ts';
import { factReader } from './facts.ts';

export type ChangeWrites = {
  /** Plans and writes the change with a name. */
  change(name: string, scope: Scope): unknown;
};

export function changeWrites(db: DatabaseSync): ChangeWrites {
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
  const set = (table: string, id: Id, row: Bound) =>
    run(`UPDATE ${table} SET ${Object.keys(row).map((name) => `${name} = :${name}`)} WHERE id = :id`, {
      ...row,
      id,
    });
  const remove = (table: string, where: Where) => {
    const { sql, bound } = matching(where);
    run(`DELETE FROM ${table} WHERE ${sql}`, bound);
  };
  const endSessionsOfKeys = (where: Where) => {
    const { sql, bound } = matching(where);
    run(`DELETE FROM session WHERE key_id IN (SELECT id FROM api_key WHERE ${sql})`, bound);
  };
  const contents = softDeleteContents(db);
  const mailRules = mailRuleWrites(db);
  const failures = failureWrites(db);
  const addMailbox = ({ id, accountId: account, path, system, createdAt }: Mailbox) =>
    run(
      `INSERT INTO mailbox (id, owner, domain_id, account_id, path, path_key, system, created_at)
       SELECT :id, owner, domain_id, id, :path, :key, :system, :at FROM account WHERE id = :account`,
      { id, account, path, key: pathKey(path), system: bit(system), at: createdAt.getTime() },
    );
  const writers: { [Do in Write['do']]: (write: Extract<Write, { do: Do }>) => void } = {
    'add-team': ({ team: { id, name, kind, createdAt } }) =>
      insert('team', { id, name, kind, created_at: createdAt.getTime() }),
    'rename-team': ({ team, name }) => set('team', team, { name }),
    'delete-team': ({ team, now }) => set('team', team, { deleted_at: now.getTime() }),
    'add-user': ({ user: { id, email, passwordHash, createdAt, emailVerified } }) =>
      insert('user', {
        ...{ id, email, password_hash: passwordHash, created_at: createdAt.getTime() },
        email_verified: bit(emailVerified),
      }),
    'set-user'({ user: id, set: { passwordHash, emailVerified, disabledAt, groups } }) {
      if (passwordHash !== undefined) set('user', id, { password_hash: passwordHash });
      if (emailVerified !== undefined) set('user', id, { email_verified: bit(emailVerified) });
      if (disabledAt !== undefined) set('user', id, { disabled_at: time(disabledAt) });
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
    'set-key': ({ key, set: { scope, expiresAt } }) =>
      set('api_key', key, {
        ...(scope !== undefined && { scope }),
        ...(expiresAt !== undefined && { expires_at: time(expiresAt) }),
      }),
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
    'add-domain'({
      domain: { id, owner, name, active, managedBy, assumedClientIp, createdAt, verification },
    }) {
      const at = createdAt.getTime();
      const row = { id, owner, name, path: domainPath(name), active: bit(active), managed_by: managedBy };
      const times = { created_at: at, updated_at: at };
      insert('domain', {
        ...row,
        assumed_client_ip: assumedClientIp,
        ...bindVerification(verification),
        ...times,
      });
    },
    'set-domain': ({ domain, set: { active, managedBy, assumedClientIp, verification, updatedAt } }) =>
      set('domain', domain, {
        ...(active !== undefined && { active: bit(active) }),
        ...(managedBy !== undefined && { managed_by: managedBy }),
        ...(assumedClientIp !== undefined && { assumed_client_ip: assumedClientIp }),
        ...(verification !== undefined && bindVerification(verification)),
        updated_at: updatedAt.getTime(),
      }),
    // Marks the domain alone, which hides its accounts and mailboxes. The upkeep marks those.
    'delete-domain': ({ domain, now }) => set('domain', domain, { deleted_at: now.getTime() }),
    'add-account'({ account, passwordHash }) {
      const { id, owner, domainId, address, storageLimit, managedBy } = account;
      const at = account.createdAt.getTime();
      insert('account', {
        ...{ id, owner, domain_id: domainId, address, storage_limit: storageLimit, managed_by: managedBy },
        ...{ active: bit(account.active), catch_all: bit(account.catchAll), capture: bit(account.capture) },
        simulates_failures: bit(account.simulatesFailures),
        ...{ password_hash: passwordHash, created_at: at, updated_at: at },
      });
      account.mailboxes.forEach(addMailbox);
    },
    'set-account'({ account, set: { active, catchAll, capture, updatedAt, ...given }, room }) {
      const { simulatesFailures, storageLimit, managedBy, passwordHash } = given;
      set('account', account, {
        ...(active !== undefined && { active: bit(active) }),
        ...(catchAll !== undefined && { catch_all: bit(catchAll) }),
        ...(capture !== undefined && { capture: bit(capture) }),
        ...(simulatesFailures !== undefined && { simulates_failures: bit(simulatesFailures) }),
        ...(storageLimit !== undefined && { storage_limit: storageLimit }),
        ...(managedBy !== undefined && { managed_by: managedBy }),
        ...(passwordHash !== undefined && { password_hash: passwordHash }),
        ...(room && { full_at: null }),
        updated_at: updatedAt.getTime(),
      });
    },
    'delete-account'({ account, now }) {
      set('account', account, { deleted_at: now.getTime() });
      contents.ofAccount(account, now.getTime());
    },
    'add-mailbox': ({ mailbox }) => addMailbox(mailbox),
    'rename-mailbox': ({ mailbox, path }) => set('mailbox', mailbox, { path, path_key: pathKey(path) }),
    'put-search': ({ team, search }) =>
      insert(
        'saved_search',
        { ...search, team_id: team },
        'ON CONFLICT (id) DO UPDATE SET name = :name, q = :q',
      ),
    'remove-searches': ({ where: { id, team } }) => remove('saved_search', { id, team_id: team }),
    'put-mail-rules': ({ team, rules }) => mailRules.put(team, rules),
    'remove-mail-rules': ({ team, ids }) => mailRules.remove(team, ids),
    'put-failure': ({ team, key, failure }) => failures.put(team, key, failure),
    'remove-failures': ({ team, ids, over }) => failures.remove(team, { ids, over }),
    'renew-failures': ({ team }) => failures.renew(team),
    'delete-mailbox'({ mailbox: id, account, now }) {
      run(
        `UPDATE account SET used_bytes = used_bytes - (SELECT bytes FROM mailbox WHERE id = :id), full_at = NULL
         WHERE id = :account`,
        { id, account },
      );
      set('mailbox', id, { deleted_at: now.getTime() });
    },
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
