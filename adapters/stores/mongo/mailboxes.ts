import type { DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import { type MailboxRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { type Mailbox, type MailboxStore, pathKey } from '#core/mailboxes/mailbox.ts';
import type { Context } from './context.ts';
import { checkQuota } from './counters.ts';
import { isDuplicate } from './errors.ts';
import { pageOf } from './pages.ts';

export function toMailbox(row: MailboxRow): Mailbox {
  const { _id: id, accountId, path, system, total, unread, createdAt } = row;
  return { id, accountId, path, system, total, unread, createdAt };
}

/** Row of a mailbox without messages. */
export function newMailbox(
  id: Id,
  mailbox: Pick<MailboxRow, 'owner' | 'accountId' | 'path' | 'system' | 'createdAt'>,
): MailboxRow {
  const empty = { total: 0, unread: 0, bytes: 0, sentCopies: 0 };
  return { _id: id, ...mailbox, pathKey: pathKey(mailbox.path), ...empty, ...notDeleted };
}

function taken(error: unknown): 'taken' {
  if (isDuplicate(error, 'pathKey')) return 'taken';
  throw error;
}

/** Approximate size of a cached mailbox, bytes. */
const mailboxBytes = 500;

export function createMailboxes({
  collections,
  ids,
  withTeamLock,
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
    async insert(owner, accountId, path, now, quota) {
      const [id = 0] = await ids.take('mailboxes', 1);
      const row = newMailbox(id, { owner, accountId, path, system: false, createdAt: now });
      return withTeamLock([owner], async ({ session }) => {
        const account = await accounts.findOne({ _id: accountId, owner, ...notDeleted }, { session });
        if (account === null) return null;
        await checkQuota(mailboxes, { accountId, ...notDeleted }, quota, session);
        await mailboxes.insertOne(row, { session });
        return toMailbox(row);
      }).catch(taken);
    },
    async rename(owner, accountId, id, path) {
      return withTeamLock([owner], async ({ session }) => {
        const row = await mailboxes.findOneAndUpdate(
          { _id: id, owner, accountId, ...notDeleted },
          { $set: { path, pathKey: pathKey(path) } },
          { returnDocument: 'after', session },
        );
        return row === null ? null : toMailbox(row);
      }).catch(taken);
    },
    softDelete: (owner, accountId, id) =>
      withTeamLock([owner], async ({ session }) => {
        const mailbox = await mailboxes.findOneAndUpdate(
          { _id: id, owner, accountId, ...notDeleted },
          { $set: { deleted: true } },
          { session },
        );
        if (mailbox === null) return false;
        await accounts.updateOne(
          { _id: accountId },
          { $inc: { usedBytes: -mailbox.bytes }, $unset: { fullAt: '' } },
          { session },
        );
        return true;
      }),
  };
}
