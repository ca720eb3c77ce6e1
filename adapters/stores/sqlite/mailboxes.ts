import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Counts } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, type MailboxStore, pathKey } from '#core/mailboxes/mailbox.ts';
import { quotaCheck } from './quota.ts';
import { isNotDeleted } from './soft-delete.ts';

export type MailboxReads = Sync<Pick<MailboxStore, 'list' | 'find'>>;
export type MailboxWrites = Sync<Pick<MailboxStore, 'insert' | 'rename' | 'softDelete'>>;

type Row = {
  id: number;
  account_id: number;
  path: string;
  system: number;
  total: number;
  unread: number;
  created_at: number;
};

const columns = 'id, account_id, path, system, total, unread, created_at';

function toMailbox({ id, account_id, path, system, total, unread, created_at }: Row): Mailbox {
  const createdAt = new Date(created_at);
  return { id, accountId: account_id, path, system: system === 1, total, unread, createdAt };
}

/** Returns the mailboxes of several accounts, each account's in the order of their creation. */
export function mailboxesByAccount(db: DatabaseSync): (accountIds: Id[]) => Map<Id, Mailbox[]> {
  const list = query<Row>(
    db,
    `SELECT ${columns} FROM mailbox INDEXED BY mailbox_account
     WHERE account_id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL ORDER BY account_id, id`,
  );
  return (accountIds) => {
    const rows = list.all({ ids: JSON.stringify(accountIds) }).map(toMailbox);
    return Map.groupBy(rows, (mailbox) => mailbox.accountId);
  };
}

/** Returns a function that tells whether an account exists and belongs to a team. */
function accountExists(db: DatabaseSync): (owner: Id, accountId: Id) => boolean {
  const find = query<{ id: number }>(
    db,
    `SELECT id FROM account WHERE id = :account AND owner = :owner AND ${isNotDeleted('account')}`,
  );
  return (owner, account) => find.get({ owner, account }) !== undefined;
}

const inAccount =
  'FROM mailbox INDEXED BY mailbox_account WHERE account_id = :account AND deleted_at IS NULL';

export function mailboxReads(db: DatabaseSync): MailboxReads {
  const exists = accountExists(db);
  const list = pages(db, { columns, from: inAccount, order: 'id' }, toMailbox);
  const byId = query<Row>(
    db,
    `SELECT ${columns} FROM mailbox
     WHERE id = :id AND account_id = :account AND owner = :owner AND ${isNotDeleted('mailbox')}`,
  );
  return {
    list: (owner, account, page) => (exists(owner, account) ? list(page, { account }) : null),
    find(owner, account, id) {
      const row = byId.get({ owner, account, id });
      return row === undefined ? null : toMailbox(row);
    },
  };
}

export function mailboxWrites(db: DatabaseSync): MailboxWrites {
  const { find } = mailboxReads(db);
  const exists = accountExists(db);
  const checkQuota = quotaCheck(db, inAccount);
  const insert = query(
    db,
    `INSERT INTO mailbox (owner, domain_id, account_id, path, path_key, system, created_at)
     SELECT owner, domain_id, id, :path, :key, 0, :at FROM account WHERE id = :account
     ON CONFLICT (account_id, path_key) WHERE deleted_at IS NULL DO NOTHING`,
  );
  const rename = query(db, 'UPDATE OR IGNORE mailbox SET path = :path, path_key = :key WHERE id = :id');
  const giveBytesBack = query(
    db,
    `UPDATE account SET used_bytes = used_bytes - (SELECT bytes FROM mailbox WHERE id = :id), full_at = NULL
     WHERE id = :account`,
  );
  const softDelete = query(db, 'UPDATE mailbox SET deleted_at = :at WHERE id = :id');
  return {
    insert(owner, account, path, now, quota) {
      if (!exists(owner, account)) return null;
      checkQuota({ account }, quota);
      const { changes, id } = insert.run({ account, path, key: pathKey(path), at: now.getTime() });
      return changes === 0 ? 'taken' : find(owner, account, id);
    },
    rename(owner, account, id, path) {
      if (find(owner, account, id) === null) return null;
      const { changes } = rename.run({ id, path, key: pathKey(path) });
      return changes === 0 ? 'taken' : find(owner, account, id);
    },
    softDelete(owner, account, id, now) {
      if (find(owner, account, id) === null) return false;
      giveBytesBack.run({ id, account });
      softDelete.run({ id, at: now.getTime() });
      return true;
    },
  };
}

/**
 * Returns a function that adds to the counts of a mailbox. False for a soft-deleted one. Copies are counted in Sent alone, so
 * that callers need not know in which mailbox a copy is.
 */
export function mailboxCounter(db: DatabaseSync): (mailbox: Id, counts: Counts) => boolean {
  const count = query(
    db,
    `UPDATE mailbox SET total = total + :total, unread = unread + :unread, bytes = bytes + :bytes,
       copies = copies + iif(path_key = '${pathKey('Sent')}', :sentCopies, 0)
     WHERE id = :mailbox AND deleted_at IS NULL`,
  );
  return (mailbox, counts) => count.run({ mailbox, ...counts }).changes === 1;
}
