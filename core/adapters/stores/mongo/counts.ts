import type { ClientSession } from 'mongodb';
import type { AccountState } from '#core/adapters/stores/mongo/delivery/judge-deliveries.ts';
import type { MessageRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

type Counted = Pick<MessageRow, 'accountId' | 'mailboxId' | 'isRead' | 'sizeBytes' | 'sentCopy'>;

/** What messages count in their mailbox; with `sign` -1, what is taken off. */
export function countsOf(rows: Omit<Counted, 'accountId' | 'mailboxId'>[], sign: 1 | -1) {
  const sum = (value: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + sign * value(row), 0);
  return {
    total: sum(() => 1),
    unread: sum(({ isRead }) => (isRead ? 0 : 1)),
    bytes: sum(({ sizeBytes }) => sizeBytes),
    sentCopies: sum(({ sentCopy }) => (sentCopy ? 1 : 0)),
  };
}

/**
 * Adds messages to the counts of their mailboxes and accounts, or takes them off: one write each. False, and not all is
 * written, where one of the accounts `within` has no room for them.
 */
export async function changeCounts(
  { collections: { accounts, mailboxes } }: Context,
  session: ClientSession,
  rows: Counted[],
  sign: 1 | -1,
  within: Map<Id, AccountState> = new Map(),
): Promise<boolean> {
  if (rows.length === 0) return true;
  const addBytes = (_id: Id, own: Counted[]) => {
    const { storageLimit } = within.get(_id) ?? {};
    const room = storageLimit === undefined ? {} : { usedBytes: { $lte: storageLimit - sizeOf(own) } };
    const usedBytes = countsOf(own, sign).bytes;
    return { updateOne: { filter: { _id, ...room }, update: { $inc: { usedBytes } } } };
  };
  const byMailbox = [...Map.groupBy(rows, ({ mailboxId }) => mailboxId)];
  const byAccount = [...Map.groupBy(rows, ({ accountId }) => accountId)];
  await mailboxes.bulkWrite(
    byMailbox.map(([_id, own]) => ({
      updateOne: { filter: { _id }, update: { $inc: countsOf(own, sign) } },
    })),
    { session },
  );
  const { matchedCount } = await accounts.bulkWrite(
    byAccount.map(([id, own]) => addBytes(id, own)),
    { session },
  );
  return within.size === 0 || matchedCount === byAccount.length;
}

/** Bytes that an account must have free for them: an empty message needs one. */
function sizeOf(rows: Pick<Counted, 'sizeBytes'>[]): number {
  return rows.reduce((sum, { sizeBytes }) => sum + Math.max(sizeBytes, 1), 0);
}
