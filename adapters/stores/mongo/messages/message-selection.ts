import type { ClientSession, Filter } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { taggedHint } from '#adapters/stores/mongo/schema/indexes.ts';
import { idsOf, type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { ArchiveStore, MessageFacts, Place } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Listed, ListPlace, MessageStore, Selection, Visibility } from '#core/messages/message.ts';
import type { TagCount, TagStore } from '#core/messages/tag-counts.ts';
import { inSnapshot, newestFirst } from './message-list.ts';
import { unexpired } from './message-rows.ts';
import { readListFacts, snapshot } from './message-scope.ts';
import { queryCondition } from './query-facts.ts';

/** Rows that the driver decodes at a time: about 1 ms of the calling thread. */
const rowsAtOnce = 500;

const listedFields = { number: 1, mailboxId: 1, sizeBytes: 1, isRead: 1, isFlagged: 1, tags: 1 } as const;
type ListedRow = Pick<MessageRow, '_id' | keyof typeof listedFields>;

/** Selections of messages, each read from one snapshot of the store. */
export function createSelections(context: Context): Pick<MessageStore, 'select'> {
  return {
    select: (owner, selection, range, visibility, search) =>
      search(({ turn, signal }) =>
        turn(() =>
          inSnapshot(context, signal, (session) =>
            select(context, session, owner, selection, range, visibility),
          ),
        ),
      ),
  };
}

async function select(
  context: Context,
  session: ClientSession,
  owner: Id,
  selection: Selection,
  { after, limit }: { after: ListPlace; limit: number },
  visibility: Visibility,
): Promise<Listed[]> {
  const { messages } = context.collections;
  const options = { session, ...snapshot, maxTimeMS: limits.answers.searchMs };
  const behind: Filter<MessageRow> = {
    number: { $lte: after.number },
    $nor: [{ number: after.number, _id: { $gte: after.id } }],
  };
  const read = (rows: Filter<MessageRow>, hint: object) =>
    messages
      .find<ListedRow>(
        { $and: [rows, behind, unexpired(visibility)] },
        { ...options, projection: listedFields },
      )
      .hint(hint)
      .sort(newestFirst)
      .limit(limit)
      .batchSize(rowsAtOnce)
      .map(toListed)
      .toArray();
  if ('ids' in selection) {
    const { ids, accountId, mailboxId } = selection;
    const wanted: Filter<MessageRow> = { _id: { $in: ids }, owner };
    if (accountId !== undefined) wanted.accountId = accountId;
    if (mailboxId !== undefined) wanted.mailboxId = mailboxId;
    const found = await read(wanted, { _id: 1 });
    const visible = await existingMailboxes(context, options, owner, found);
    return found.filter((one) => visible.has(one.mailboxId));
  }
  const { filter } = selection;
  const { scope } = await readListFacts(context, owner, filter, session);
  if (scope === null) return [];
  const condition = await queryCondition(context, session, owner, filter, scope, visibility);
  return read(condition === null ? scope.rows : { $and: [scope.rows, condition] }, scope.hint as object);
}

function toListed({ _id: id, tags = [], ...row }: ListedRow): Listed {
  return { id, tags, ...row };
}

/** Finds out which of the messages' mailboxes belong to the owner and are not deleted. */
export async function existingMailboxes(
  { collections: { mailboxes } }: Context,
  options: { session: ClientSession },
  owner: Id,
  rows: { mailboxId: Id }[],
): Promise<Set<Id>> {
  const ids = [...new Set(rows.map(({ mailboxId }) => mailboxId))];
  return new Set(await idsOf(mailboxes, { _id: { $in: ids }, owner, ...notDeleted }, options));
}

const sortBy = { count: -1, _id: 1 };
const output = { name: '$_id', count: '$count' };

export function createTagCounts(context: Context): TagStore {
  const { messages } = context.collections;
  return {
    count: (owner, { newest, most }, visibility) =>
      inSnapshot(context, undefined, async (session) => {
        const { scope } = await readListFacts(context, owner, {}, session);
        if (scope === null) return [];
        const stages = [
          { $match: { owner, tags: { $exists: true } } },
          { $sort: { number: -1 } },
          { $limit: newest },
          { $match: { ...scope.rows, ...unexpired(visibility) } },
          { $unwind: '$tags' },
          { $group: { _id: '$tags', count: { $sum: 1 } } },
          { $group: { _id: null, tags: { $topN: { n: most, sortBy, output } } } },
        ];
        const options = { session, ...snapshot, hint: taggedHint };
        const [found] = await messages.aggregate<{ tags: TagCount[] }>(stages, options).toArray();
        return found?.tags ?? [];
      }),
  };
}

/** Reads that only an export needs. */
export function createArchive({ collections }: Context): Pick<ArchiveStore, 'messages'> {
  const { messages } = collections;
  return {
    async messages(owner, wanted) {
      const order = { number: 1, _id: 1 } as const;
      const found =
        'after' in wanted
          ? messages
              .find({ owner, ...behind(wanted.after) })
              .sort(order)
              .limit(wanted.limit)
          : messages.find({ owner, ...factsOf(wanted.alike) });
      const rows = await found.project<{ _id: Id; number: number }>(order).toArray();
      return rows.map(({ _id: id, number }) => ({ number, id }));
    },
  };
}

function behind({ number, id }: Place) {
  return { number: { $gte: number }, $or: [{ number: { $gt: number } }, { _id: { $gt: id } }] };
}

/** Keeps only the facts, since a caller may pass more. */
function factsOf({ mailboxId, receivedAt, sizeBytes }: MessageFacts): MessageFacts {
  return { mailboxId, receivedAt, sizeBytes };
}
