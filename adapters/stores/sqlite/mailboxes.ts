import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import type { Counts } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, type MailboxStore, pathKey } from '#core/mailboxes/mailbox.ts';
import { isNotDeleted } from './soft-delete.ts';

export type MailboxReads = Sync<Pick<MailboxStore, 'list' | 'find'>>;

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
