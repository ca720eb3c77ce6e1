import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { changeCounts } from '#adapters/stores/mongo/counters.ts';
import { appendEvents, numbered } from '#adapters/stores/mongo/journal.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Committed, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import {
  type BulkRow,
  type BulkTarget,
  type BulkUpdate,
  changesTags,
  compareListed,
  type MessagePlan,
  planBulkChange,
  planUpdate,
} from '#core/messages/bulk-change.ts';
import type { BulkAction, BulkOutcome, Listed, MessageStore, Visibility } from '#core/messages/message.ts';
import { findMessage, wholeMessage } from './message-lookup.ts';
import { type RemovalRow, removalFields, removeMessages } from './message-removal.ts';
import { dueAt, marksOf, tagFields, unexpired } from './message-rows.ts';
import { existingMailboxes } from './message-selection.ts';

export function createChanges(context: Context): Pick<MessageStore, 'update' | 'changeSome'> {
  const { messages, mailboxes } = context.collections;
  return {
    update: (owner, id, change, visibility) =>
      context.withTeamLock([owner], async (lock) => {
        const { session } = lock;
        const found = await findMessage(context, owner, id, visibility, session);
        if (found === null) return null;
        const { row } = found;
        const { mailboxId = row.mailboxId } = change;
        const wanted = { _id: mailboxId, accountId: row.accountId, ...notDeleted };
        const moves = mailboxId !== row.mailboxId;
        const mailbox = moves ? await mailboxes.findOne(wanted, { session }) : null;
        if (moves && mailbox === null) return 'no-mailbox';
        const target = mailbox && { id: mailboxId, pathKey: mailbox.pathKey };
        const before = bulkRow(row);
        const plan = planUpdate(before, change, target, visibility.now);
        const [after = before] = plan.updates;
        const { expiresAt, autoDelete } = { ...row, ...change };
        const set = {
          ...stateOf(after, row),
          ...(change.tags !== undefined && tagFields(row, change.tags)),
          ...{ expiresAt, autoDelete, dueAt: dueAt({ expiresAt, autoDelete }) },
        };
        await messages.updateOne({ _id: id }, { $set: set }, { session });
        const events = await writeEffects(context, lock, owner, plan);
        return { result: await wholeMessage(context, { ...found, row: { ...row, ...set } }), owner, events };
      }),
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
const rowFields = { ...removalFields, ...updateFields } as const;
type StoredRow = RemovalRow & Pick<MessageRow, keyof typeof updateFields>;

/** Reads the visible ones of the listed messages, in a transaction. */
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
  const living = await existingMailboxes(context, { session }, owner, rows);
  return rows.filter(({ mailboxId }) => living.has(mailboxId)).map((row) => ({ ...bulkRow(row), row }));
}

function bulkRow({ _id: id, tags = [], ...row }: StoredRow): BulkRow {
  return { ...row, id, tags };
}

/** Returns the fields of a state, and the fields derived from it. */
function stateOf(
  { mailboxId, sentCopy, isRead, isFlagged }: BulkUpdate,
  { hasAttachments = false }: Partial<MessageRow>,
) {
  const marks = marksOf({ isRead, isFlagged, hasAttachments });
  return { mailboxId, sentCopy, isRead, isFlagged, marks };
}

/** Writes a plan's counts and events. */
async function writeEffects(
  context: Context,
  lock: TeamLock,
  owner: Id,
  plan: MessagePlan,
): Promise<MailEvent[]> {
  await changeCounts(context.collections, lock.session, plan.counts, []);
  const events = numbered(lock, owner, plan.events);
  await appendEvents(context, lock, owner, events);
  return events;
}

async function change(
  context: Context,
  owner: Id,
  listed: Listed[],
  action: Exclude<BulkAction, { do: 'remove' }>,
  visibility: Visibility,
): Promise<Committed<BulkOutcome>> {
  return context.withTeamLock([owner], async (lock) => {
    const { session } = lock;
    const { same, left } = compareListed(listed, await readRows(context, session, owner, listed, visibility));
    const targets =
      action.do === 'move'
        ? await findTargets(context, session, same, action.path)
        : new Map<Id, BulkTarget>();
    const { unplaced, ...plan } = planBulkChange(same, action, targets, visibility.now);
    const { updates } = plan;
    await writeUpdates(context, session, same, updates, changesTags(action));
    const events = await writeEffects(context, lock, owner, plan);
    return { owner, result: { matched: same.length, changed: updates.length, unplaced, left }, events };
  });
}

/** Finds the mailboxes that have a given path in the messages' accounts. */
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

/** Writes new values, all messages with the same values together. */
async function writeUpdates(
  { collections: { messages } }: Context,
  session: ClientSession,
  rows: (BulkRow & { row: StoredRow })[],
  updates: BulkUpdate[],
  ofTags: boolean,
): Promise<void> {
  if (updates.length === 0) return;
  const before = new Map(rows.map(({ id, row }) => [id, row]));
  const written = updates.map((update) => {
    const row: Partial<StoredRow> = before.get(update.id) ?? {};
    return { id: update.id, set: ofTags ? tagFields(row, update.tags) : stateOf(update, row) };
  });
  const alike = Map.groupBy(written, ({ set }) => JSON.stringify(set));
  const writes = [...alike.values()].flatMap((some) =>
    some.slice(0, 1).map(({ set }) => {
      return { updateMany: { filter: { _id: { $in: some.map(({ id }) => id) } }, update: { $set: set } } };
    }),
  );
  await messages.bulkWrite(writes, { session });
}
