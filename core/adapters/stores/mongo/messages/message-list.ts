import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Filter } from 'mongodb';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import { isTimeLimit } from '#core/adapters/stores/mongo/errors.ts';
import type { MessageRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import { threadIds } from '#core/adapters/stores/mongo/threads/conversations.ts';
import { SearchTimeout } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { MessageFilter, MessageStore, MessageSummary, Visibility } from '#core/messages/message.ts';
import { unhindered } from '#core/messages/search-turns.ts';
import { offsetOf, type Page, type Slice } from '#core/page.ts';
import { type Expiry, expiryOf } from './message-expiry.ts';
import { type SummaryRow, summaryFields, toSummary, unexpired } from './message-rows.ts';
import { type Ground, readGround, type Scope, snapshot } from './message-scope.ts';
import { isSearch, searchConditions } from './message-search.ts';

/** Between two attempts to end a search, ms. */
const killAgainMs = 50;

const newestFirst = { number: -1, _id: -1 } as const;

type List = Slice<MessageSummary> & { cursor: number };

/** About what a list takes in memory: its texts, and so much for each message. */
function listBytes({ items }: List): number {
  const lengths = items.map(({ subject, intro, toAddresses }) =>
    toAddresses.reduce((sum, address) => sum + address.length, subject.length + intro.length),
  );
  return lengths.reduce((sum, length) => sum + length + 500, 0);
}

/** Lists of messages: all that one shows is read of the store as it was at one instant. */
export function createMessageList(context: Context): Pick<MessageStore, 'list'> {
  const read = (owner: Id, filter: MessageFilter, page: Page, visibility: Visibility, signal?: AbortSignal) =>
    context.client.withSession({ snapshot: true, causalConsistency: false }, (session) => {
      const work = () => readList(context, session, owner, filter, page, visibility);
      return signal === undefined ? work() : endedBy(signal, context, session, work);
    });
  return {
    async list(owner, filter, page, visibility, search = unhindered) {
      if (isSearch(filter)) {
        // The server runs searches beside each other: one is one slice, and ends with the signal.
        const found = await search(({ turn, signal }) =>
          turn(() => read(owner, filter, page, visibility, signal)),
        );
        return found.list;
      }
      const { list } = await context.recall(owner, `list ${JSON.stringify([filter, page])}`, {
        read: () => read(owner, filter, page, visibility),
        bytes: ({ list }) => listBytes(list),
        holds: ({ holds }) => holds(visibility),
        asked: visibility.asked,
      });
      return list;
    },
  };
}

/**
 * Ends what the session does on the server once `signal` is aborted. The result is awaited all the same: a connection that
 * were merely closed would leave the server at work, beside whatever is asked next.
 */
async function endedBy<T>(
  signal: AbortSignal,
  { client }: Context,
  session: ClientSession,
  work: () => Promise<T>,
): Promise<T> {
  let ended = false;
  let killing: Promise<void> | undefined;
  // Again and again: the server may be between two commands of the session.
  const kill = async () => {
    while (!ended) {
      // Without the right to do that, `maxTimeMS` ends it.
      await client
        .db('admin')
        .command({ killSessions: [session.id] })
        .catch(() => {});
      await pause(killAgainMs);
    }
  };
  const onAbort = () => {
    killing = kill();
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    ended = true;
    signal.removeEventListener('abort', onAbort);
    // The session goes back to a pool: it must not be killed while somebody else has it.
    await killing;
  }
}

async function readList(
  context: Context,
  session: ClientSession,
  owner: Id,
  filter: MessageFilter,
  page: Page,
  visibility: Visibility,
): Promise<{ list: List } & Pick<Expiry, 'holds'>> {
  const { cursor, scope, earliest } = await readGround(context, owner, filter, session);
  if (scope === null) return { list: { items: [], total: 0, cursor }, holds: () => true };
  const { items, total, holds } = isSearch(filter)
    ? {
        ...(await search(context, session, owner, scope, filter, page, visibility)),
        holds: () => false,
      }
    : await browse(context, session, { ...scope, earliest }, filter, page, visibility);
  return { list: { items: await summaries(context, items, session), total, cursor }, holds };
}

/** A page in the order of the index; the total comes from the counters, less what is past its time. */
async function browse(
  context: Context,
  session: ClientSession,
  { rows, hint, total, earliest }: Scope & Pick<Ground, 'earliest'>,
  { after }: MessageFilter,
  page: Page,
  visibility: Visibility,
): Promise<Slice<SummaryRow> & Pick<Expiry, 'holds'>> {
  const { messages } = context.collections;
  const options = { session, ...snapshot, hint };
  const range = after === undefined ? rows : { ...rows, number: { $gt: after } };
  const visible: Filter<MessageRow> = { ...range, ...unexpired(visibility) };
  const [items, counted, { expired, holds }] = await Promise.all([
    messages
      .find<SummaryRow>(visible, { ...options, projection: summaryFields })
      .sort(newestFirst)
      .skip(offsetOf(page))
      .limit(page.limit)
      .toArray(),
    after === undefined ? total : messages.countDocuments(visible, options),
    expiryOf(context, session, rows, earliest, visibility),
  ]);
  return { items, total: after === undefined ? counted - expired : counted, holds };
}

/** One pass over all rows of the scope gives both the page and the total. */
async function search(
  context: Context,
  session: ClientSession,
  owner: Id,
  { rows, hint }: Scope,
  filter: MessageFilter,
  page: Page,
  visibility: Visibility,
): Promise<Slice<SummaryRow>> {
  const after = filter.after === undefined ? {} : { number: { $gt: filter.after } };
  const options = { session, ...snapshot, maxTimeMS: limits.answers.searchMs };
  try {
    const conditions = await searchConditions(context, owner, filter, options);
    const [found] = await context.collections.messages
      .aggregate<{ items: SummaryRow[]; counted: { total: number }[] }>(
        [
          { $match: { ...rows, ...after, ...unexpired(visibility), $and: conditions } },
          { $sort: newestFirst },
          { $project: summaryFields },
          {
            $facet: {
              items: [{ $skip: offsetOf(page) }, { $limit: page.limit }],
              counted: [{ $count: 'total' }],
            },
          },
        ],
        { ...options, hint },
      )
      .toArray();
    return { items: found?.items ?? [], total: found?.counted[0]?.total ?? 0 };
  } catch (error) {
    if (isTimeLimit(error)) throw new SearchTimeout('The search took too long');
    throw error;
  }
}

async function summaries(
  context: Context,
  rows: SummaryRow[],
  session: ClientSession,
): Promise<MessageSummary[]> {
  const threads = await threadIds(context, rows, session);
  return rows.map((row) => toSummary(row, threads.get(row.conversationId) ?? null));
}
