import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { changeCounts } from '#adapters/stores/mongo/counters.ts';
import { appendEvents, numbered } from '#adapters/stores/mongo/journal.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { idsOf, type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { leaveThreads } from '#adapters/stores/mongo/threads/conversations.ts';
import { countsOf, type Load, takeUntilFreed, withinBytes } from '#core/accounts/room.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MessageStore } from '#core/messages/message.ts';
import { unexpired } from './message-rows.ts';

export const removalFields = {
  ...{
    number: 1,
    accountId: 1,
    mailboxId: 1,
    mailId: 1,
    sizeBytes: 1,
    countedBytes: 1,
    isRead: 1,
    isFlagged: 1,
    sentCopy: 1,
  },
  ...{ siblings: 1, ownToken: 1, references: 1, conversationId: 1 },
} as const;

export type RemovalRow = Pick<MessageRow, '_id' | keyof typeof removalFields>;

/**
 * Removes the messages of `owner` that `choose` finds within the transaction. Updates counts and threads, and writes an event for each
 * message. No other code removes messages. Removes bodies right after the commit. If the process dies in between, the sweep removes them.
 * Returns null if `choose` finds no messages.
 */
export async function removeMessages(
  context: Context,
  owner: Id,
  at: Date,
  choose: (lock: TeamLock) => Promise<RemovalRow[]>,
): Promise<Committed<number> | null> {
  const removed = await context.withTeamLock([owner], async (lock) => {
    const rows = withinBytes(await choose(lock));
    if (rows.length === 0) return null;
    const events = await removeRows(context, lock, owner, rows, at);
    return { events, mailIds: rows.map((row) => row.mailId) };
  });
  if (removed === null) return null;
  const { events, mailIds } = removed;
  await context.orphanBodies.collect(mailIds);
  return { owner, events, result: events.length };
}

async function removeRows(
  context: Context,
  lock: TeamLock,
  owner: Id,
  rows: RemovalRow[],
  at: Date,
): Promise<MailEvent[]> {
  const { messages, searchPieces } = context.collections;
  const { session } = lock;
  const ids = rows.map(({ _id }) => _id);
  await messages.deleteMany({ _id: { $in: ids } }, { session });
  await searchPieces.deleteMany({ messageId: { $in: ids } }, { session });
  await leaveThreads(context, session, rows);
  await takeOffCounts(context, lock, rows);
  await context.orphanBodies.release(session, rows);
  const deleted = rows.map(({ _id: messageId, number: messageNumber, accountId, mailboxId }) => ({
    ...{ type: 'message.deleted' as const, messageId, messageNumber, accountId, mailboxId, at },
  }));
  const events = numbered(lock, owner, deleted);
  await appendEvents(context, lock, owner, events);
  return events;
}

/**
 * Subtracts messages from mailboxes' and accounts' counts. Skips soft-deleted mailboxes, whose bytes the account got back when they were
 * deleted.
 */
async function takeOffCounts(context: Context, { session }: TeamLock, rows: RemovalRow[]): Promise<void> {
  const ids = new Set(rows.map(({ mailboxId }) => mailboxId));
  const living = { _id: { $in: [...ids] }, ...notDeleted };
  const existing = await idsOf(context.collections.mailboxes, living, { session });
  const counted = rows.filter(({ mailboxId }) => existing.includes(mailboxId));
  const byMailbox = Map.groupBy(counted, ({ mailboxId }) => mailboxId);
  const byAccount = Map.groupBy(counted, ({ accountId }) => accountId);
  const counts = new Map([...byMailbox].map(([id, own]) => [id, countsOf(own, -1)]));
  const charges = [...byAccount].map(([id, own]) => ({ id, bytes: countsOf(own, -1).bytes }));
  await changeCounts(context.collections, session, counts, charges);
}

export function createRemovals(context: Context): Pick<MessageStore, 'remove' | 'removeSome'> {
  const { messages, mailboxes } = context.collections;
  const removal = { projection: removalFields } as const;

  const upToNumber = async (
    owner: Id,
    { mailboxId, upTo }: { mailboxId: Id; upTo: number },
    limit: number,
    session: ClientSession,
  ): Promise<RemovalRow[]> => {
    const mailbox = await mailboxes.findOne({ _id: mailboxId, owner, ...notDeleted }, { session });
    if (mailbox === null) return [];
    const range = { mailboxId, number: { $lte: upTo } };
    return messages.find<RemovalRow>(range, { ...removal, session, limit }).toArray();
  };
  const oldest = async (
    owner: Id,
    { oldestOf: accountId, load }: { oldestOf: Id; load: Load },
    limit: number,
    session: ClientSession,
  ): Promise<RemovalRow[]> => {
    // Skips soft-deleted mailboxes because removing their messages frees nothing.
    const mailboxId = { $in: await idsOf(mailboxes, { owner, accountId, ...notDeleted }, { session }) };
    const rows = messages.find<RemovalRow>({ owner, accountId, mailboxId }, { ...removal, session, limit });
    const sorted = await rows.sort({ number: 1, _id: 1 }).toArray();
    return takeUntilFreed(sorted, load, ({ countedBytes, sizeBytes }) => countedBytes ?? sizeBytes);
  };

  return {
    async remove(owner, id, visibility) {
      const commit = await removeMessages(context, owner, visibility.now, async ({ session }) => {
        const row = await messages.findOne<RemovalRow>(
          { _id: id, owner, ...unexpired(visibility) },
          { ...removal, session },
        );
        const mailbox =
          row === null
            ? null
            : await mailboxes.findOne({ _id: row.mailboxId, owner, ...notDeleted }, { session });
        return row === null || mailbox === null ? [] : [row];
      });
      return commit === null ? null : { ...commit, result: true };
    },
    async removeSome(owner, scope, limit) {
      const commit = await removeMessages(context, owner, new Date(), ({ session }) =>
        'upTo' in scope ? upToNumber(owner, scope, limit, session) : oldest(owner, scope, limit, session),
      );
      return commit ?? { owner, result: 0, events: [] };
    },
  };
}
