import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { changeCounts } from '#adapters/stores/mongo/counters.ts';
import { appendEvents, numbered } from '#adapters/stores/mongo/journal.ts';
import { type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import {
  type BulkRow,
  type BulkTarget,
  type BulkUpdate,
  changesTags,
  compareListed,
  planBulkChange,
} from '#core/messages/bulk-change.ts';
import type { BulkAction, BulkOutcome, Listed, MessageStore, Visibility } from '#core/messages/message.ts';
import { type DoomedRow, doomedFields, removeMessages } from './message-removal.ts';
import { marksOf, tagFields, unexpired } from './message-rows.ts';
import { livingMailboxes } from './message-selection.ts';

/** Changes of many messages, as `planBulkChange` decides them. */
export function createBulkChanges(context: Context): Pick<MessageStore, 'changeSome'> {
  return {
    async changeSome(owner, listed, action, visibility) {
      if (action.do !== 'remove') return change(context, owner, listed, action, visibility);
      let left: Id[] = [];
      const commit = await removeMessages(context, owner, visibility.now, async ({ session }) => {
        const rows = await readRows(context, session, owner, listed, visibility);
        const compared = compareListed(listed, rows);
        left = compared.left;
        return compared.same.map(({ row }) => row);
      });
      const removed = commit?.result ?? 0;
      const result = { matched: removed, changed: removed, unplaced: 0, left };
      return { owner, result, events: commit?.events ?? [] };
    },
  };
}

const updateFields = { copy: 1, hasAttachments: 1, tags: 1, traits: 1, keys: 1 } as const;
const rowFields = { ...doomedFields, ...updateFields } as const;
type StoredRow = DoomedRow & Pick<MessageRow, keyof typeof updateFields>;

/** Reads those of the listed messages that are visible, in a transaction. */
async function readRows(
  context: Context,
  session: ClientSession,
  owner: Id,
  listed: Listed[],
  visibility: Visibility,
): Promise<(BulkRow & { row: StoredRow })[]> {
  const wanted = { _id: { $in: listed.map(({ id }) => id) }, owner, ...unexpired(visibility) };
  const rows = await context.collections.messages
    .find<StoredRow>(wanted, { session, projection: rowFields })
    .toArray();
  const living = await livingMailboxes(context, { session }, owner, rows);
  return rows
    .filter(({ mailboxId }) => living.has(mailboxId))
    .map((row) => {
      const { _id: id, number, accountId, mailboxId, sizeBytes, countedBytes, isRead, isFlagged } = row;
      const { copy, sentCopy, tags = [] } = row;
      return {
        ...{ row, id, number, accountId, mailboxId, sizeBytes, isRead, isFlagged, tags, copy, sentCopy },
        countedBytes: countedBytes ?? null,
      };
    });
}

async function change(
  context: Context,
  owner: Id,
  listed: Listed[],
  action: Exclude<BulkAction, { do: 'remove' }>,
  visibility: Visibility,
): Promise<Committed<BulkOutcome>> {
  const { withTeamLock, collections } = context;
  return withTeamLock([owner], async (lock) => {
    const { session } = lock;
    const { same, left } = compareListed(listed, await readRows(context, session, owner, listed, visibility));
    const targets =
      action.do === 'move'
        ? await findTargets(context, session, same, action.path)
        : new Map<Id, BulkTarget>();
    const plan = planBulkChange(same, action, targets, visibility.now);
    const { updates, counts, unplaced } = plan;
    await writeUpdates(context, session, same, updates, changesTags(action));
    await changeCounts(collections, session, counts, []);
    const events = numbered(lock, owner, plan.events);
    await appendEvents(context, lock, owner, events);
    return { owner, result: { matched: same.length, changed: updates.length, unplaced, left }, events };
  });
}

/** Finds the mailboxes of a path in the accounts of messages. */
async function findTargets(
  { collections: { mailboxes } }: Context,
  session: ClientSession,
  rows: BulkRow[],
  path: string,
): Promise<Map<Id, BulkTarget>> {
  const accounts = [...new Set(rows.map(({ accountId }) => accountId))];
  const wanted = { accountId: { $in: accounts }, pathKey: pathKey(path), ...notDeleted };
  const found = await mailboxes.find(wanted, { session, projection: { accountId: 1, pathKey: 1 } }).toArray();
  return new Map(found.map(({ _id: id, accountId, pathKey: key }) => [accountId, { id, pathKey: key }]));
}

/** Writes messages with the same new values together. */
async function writeUpdates(
  { collections: { messages } }: Context,
  session: ClientSession,
  rows: (BulkRow & { row: StoredRow })[],
  updates: BulkUpdate[],
  ofTags: boolean,
): Promise<void> {
  if (updates.length === 0) return;
  const before = new Map(rows.map(({ id, row }) => [id, row]));
  const written = updates.map(({ id, tags, ...values }) => {
    const row = before.get(id);
    const hasAttachments = row?.hasAttachments ?? false;
    const marks = marksOf({ ...values, hasAttachments });
    return { id, set: ofTags ? tagFields(row ?? {}, tags) : { ...values, marks } };
  });
  const alike = Map.groupBy(written, ({ set }) => JSON.stringify(set));
  const writes = [...alike.values()].flatMap((some) =>
    some.slice(0, 1).map(({ set }) => {
      return { updateMany: { filter: { _id: { $in: some.map(({ id }) => id) } }, update: { $set: set } } };
    }),
  );
  await messages.bulkWrite(writes, { session });
}
