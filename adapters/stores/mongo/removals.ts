import {
  type DoomedRow,
  doomedFields,
  removeMessages,
} from '#adapters/stores/mongo/messages/message-removal.ts';
import { unexpired } from '#adapters/stores/mongo/messages/message-rows.ts';
import { type MailboxRow, type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { untilFreed } from '#core/accounts/room.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { MessageStore, Visibility } from '#core/messages/message.ts';
import type { Context } from './context.ts';

type Removals = Pick<
  MessageStore,
  'remove' | 'removeFrom' | 'removeOldest' | 'removeExpired' | 'clearDeleted' | 'sweepBodies'
>;

/** Maximum soft-deleted mailboxes that are cleared together. */
const mailboxesAtOnce = 200;

/** Chooses the messages to remove, and removes soft-deleted mailboxes, accounts and domains once they are empty. */
export function createRemovals(context: Context): Removals {
  const { collections, orphanBodies } = context;
  const { messages, mailboxes, accounts, domains } = collections;
  const doomed = { projection: doomedFields } as const;

  return {
    async remove(owner, id, visibility) {
      const commit = await removeMessages(context, owner, visibility.now, async ({ session }) => {
        const row = await messages.findOne<DoomedRow>(
          { _id: id, owner, ...unexpired(visibility) },
          { ...doomed, session },
        );
        const mailbox =
          row === null
            ? null
            : await mailboxes.findOne({ _id: row.mailboxId, owner, ...notDeleted }, { session });
        return row === null || mailbox === null ? [] : [row];
      });
      return commit === null ? null : { ...commit, result: true };
    },
    async removeFrom(owner, mailboxId, upTo, limit) {
      const commit = await removeMessages(context, owner, new Date(), async ({ session }) => {
        const mailbox = await mailboxes.findOne({ _id: mailboxId, owner, ...notDeleted }, { session });
        if (mailbox === null) return [];
        const range = { mailboxId, number: { $lte: upTo } };
        return messages.find<DoomedRow>(range, { ...doomed, session, limit }).toArray();
      });
      return commit ?? { owner, result: 0, events: [] };
    },
    async removeOldest(owner, accountId, load, limit) {
      const commit = await removeMessages(context, owner, new Date(), async ({ session }) => {
        // Skips soft-deleted mailboxes: removing their messages frees nothing.
        const wanted = mailboxes.find({ owner, accountId, ...notDeleted }, { session });
        const mailboxId = { $in: await wanted.map(({ _id }) => _id).toArray() };
        const rows = messages.find<DoomedRow>({ owner, accountId, mailboxId }, { ...doomed, session, limit });
        const oldest = await rows.sort({ number: 1, _id: 1 }).toArray();
        return untilFreed(oldest, load, ({ countedBytes, sizeBytes }) => countedBytes ?? sizeBytes);
      });
      return commit ?? { owner, result: 0, events: [] };
    },
    async removeExpired(visibility, limit) {
      const expired = await findExpired(context, visibility, limit);
      const commits: Committed<number>[] = [];
      for (const [owner, rows] of Map.groupBy(expired, (row) => row.owner)) {
        const ids = { $in: rows.map((row) => row._id) };
        const commit = await removeMessages(context, owner, visibility.now, ({ session }) =>
          // Checks again: they may have been removed, moved to another team, or kept for longer since they were found.
          messages
            .find<DoomedRow>({ _id: ids, owner, $or: isExpired(visibility) }, { ...doomed, session })
            .toArray(),
        );
        if (commit !== null) commits.push(commit);
      }
      return commits;
    },
    async clearDeleted(limit, signal) {
      while (!signal?.aborted) {
        const [first] = await mailboxes.find({ deleted: true }).limit(1).toArray();
        if (first === undefined) break;
        const commit = await clearMailboxes(context, first.owner, limit);
        if (commit !== null) return [commit];
      }
      if (signal?.aborted) return [];
      await accounts.deleteMany({ deleted: true });
      await domains.deleteMany({ deleted: true });
      return [];
    },
    async sweepBodies(olderThan, limit) {
      return orphanBodies.collect(await orphanBodies.find(olderThan, limit));
    },
  };
}

/**
 * Removes messages of some soft-deleted mailboxes of a team. If they have none left, removes the mailboxes and gives null.
 */
async function clearMailboxes(context: Context, owner: Id, limit: number): Promise<Committed<number> | null> {
  const { messages, mailboxes } = context.collections;
  const deleted: Pick<MailboxRow, '_id'>[] = await mailboxes
    .find({ owner, deleted: true }, { projection: { _id: 1 } })
    .limit(mailboxesAtOnce)
    .toArray();
  const mailboxId = { $in: deleted.map(({ _id }) => _id) };
  const commit = await removeMessages(context, owner, new Date(), ({ session }) =>
    messages.find<DoomedRow>({ mailboxId }, { projection: doomedFields, session, limit }).toArray(),
  );
  // Soft-deleted mailboxes receive no messages, so an empty one stays empty.
  if (commit === null) await mailboxes.deleteMany({ _id: mailboxId, deleted: true });
  return commit;
}

function isExpired({ now, receivedAfter }: Visibility) {
  return [{ receivedAt: { $lte: receivedAfter } }, { dueAt: { $lte: now } }];
}

async function findExpired(
  { collections: { messages } }: Context,
  visibility: Visibility,
  limit: number,
): Promise<Pick<MessageRow, '_id' | 'owner'>[]> {
  for (const filter of isExpired(visibility)) {
    const rows = await messages.find(filter, { projection: { owner: 1 }, limit }).toArray();
    if (rows.length > 0) return rows;
  }
  return [];
}
