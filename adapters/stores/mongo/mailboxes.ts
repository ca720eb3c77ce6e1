import type { DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import { type MailboxRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, type MailboxStore, pathKey } from '#core/mailboxes/mailbox.ts';
import type { Context } from './context.ts';
import { pageOf } from './pages.ts';

export function toMailbox(row: MailboxRow): Mailbox {
  const { _id: id, accountId, path, system, total, unread, createdAt } = row;
  return { id, accountId, path, system, total, unread, createdAt };
}

/** Returns the row of a mailbox without messages. */
export function toMailboxRow({ id, ...mailbox }: Mailbox, owner: Id): MailboxRow {
  const row = { _id: id, owner, ...mailbox, pathKey: pathKey(mailbox.path) };
  return { ...row, bytes: 0, sentCopies: 0, ...notDeleted };
}

/** Approximate size of a cached mailbox, bytes. */
const mailboxBytes = 500;

export function createMailboxes({
  collections,
  cachedRead,
}: Context): Omit<MailboxStore, 'find'> & DatedReads['mailboxes'] {
  const { accounts, mailboxes } = collections;
  return {
    async list(owner, accountId, page) {
      if ((await accounts.findOne({ _id: accountId, owner, ...notDeleted })) === null) return null;
      return pageOf(mailboxes, { accountId, ...notDeleted }, page, (rows) => rows.map(toMailbox));
    },
    find: (owner, accountId, id, notBefore) =>
      cachedRead(owner, `mailbox ${accountId} ${id}`, {
        async read() {
          const row = await mailboxes.findOne({ _id: id, owner, accountId, ...notDeleted });
          return row === null ? null : toMailbox(row);
        },
        bytes: () => mailboxBytes,
        isFresh: () => true,
        notBefore,
      }),
  };
}
