import { setTimeout as pause } from 'node:timers/promises';
import type { ClientSession, Filter } from 'mongodb';
import type { DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { isTimeLimit } from '#adapters/stores/mongo/errors.ts';
import type { MessageRow } from '#adapters/stores/mongo/schema/rows.ts';
import { threadIds } from '#adapters/stores/mongo/threads/conversations.ts';
import { SearchTimeout } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { MessageSummary, Visibility } from '#core/messages/message.ts';
import { type MessageFilter, workOf } from '#core/messages/message-filter.ts';
import { unlimitedSearches } from '#core/messages/search-turns.ts';
import { offsetOf, type Page, type Slice } from '#core/page.ts';
import { readFound } from './found-reader.ts';
import { foundInRow, type SummaryRow, summaryFields, toSummary, unexpired } from './message-rows.ts';
import {
  type Expiry,
  expiryOf,
  type ListFacts,
  readListFacts,
  type Scope,
  snapshot,
} from './message-scope.ts';
import { queryCondition } from './query-facts.ts';

/** Time in ms between two attempts to end a search. */
const killAgainMs = 50;

export const newestFirst = { number: -1, _id: -1 } as const;

type List = Slice<MessageSummary> & { cursor: number };

/** Estimates a list's memory: its text, and a fixed amount for each message. */
function listBytes({ items }: List): number {
  const lengths = items.map(({ subject, intro, mainLink, toAddresses }) =>
    toAddresses.reduce(
      (sum, address) => sum + address.length,
      subject.length + intro.length + (mainLink?.length ?? 0),
    ),
  );
  return lengths.reduce((sum, length) => sum + length + 500, 0);
}

/** Runs a read on one snapshot of the store, until `signal` is aborted. Throws SearchTimeout. */
export function inSnapshot<T>(
  context: Context,
  signal: AbortSignal | undefined,
  read: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return context.client
    .withSession({ snapshot: true, causalConsistency: false }, (session) => {
      const work = () => read(session);
      return signal === undefined ? work() : endedBy(signal, context, session, work);
    })
    .catch((error) => {
      if (isTimeLimit(error)) throw new SearchTimeout('The search took too long');
      throw error;
    });
}

export function createMessageList(context: Context): Pick<DatedReads['messages'], 'list'> {
  const read = (owner: Id, filter: MessageFilter, page: Page, visibility: Visibility, signal?: AbortSignal) =>
    inSnapshot(context, signal, (session) => readList(context, session, owner, filter, page, visibility));
  return {
    async list(owner, filter, page, visibility, search = unlimitedSearches, notBefore?: number) {
      if (workOf(filter, page) !== 'page') {
        // MongoDB runs searches in parallel, so a search is a single slice that ends with the signal.
        const found = await search(({ turn, signal }) =>
          turn(() => read(owner, filter, page, visibility, signal)),
        );
        return found.list;
      }
      const { list } = await context.cachedRead(owner, `list ${JSON.stringify([filter, page])}`, {
        read: () => read(owner, filter, page, visibility),
        bytes: ({ list }) => listBytes(list),
        isFresh: ({ holds }) => holds(visibility),
        notBefore,
      });
      return list;
    },
  };
}

/**
 * Kills the session's operations on the server once `signal` is aborted, and waits until they have ended. If only the connection were
 * closed, the server would continue working.
 */
async function endedBy<T>(
  signal: AbortSignal,
  { client }: Context,
  session: ClientSession,
  work: () => Promise<T>,
): Promise<T> {
  let ended = false;
  let killing: Promise<void> | undefined;
  // Repeats the command because the server may be between two commands of the session.
  const kill = async () => {
    while (!ended) {
      // Fails if the user lacks the privilege. `maxTimeMS` then ends the operation.
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
    // The session returns to a pool, and must not be killed during its next use.
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
  const { cursor, scope, earliest } = await readListFacts(context, owner, filter, session);
  if (scope === null) return { list: { items: [], total: 0, cursor }, holds: () => true };
  const condition = await queryCondition(context, session, owner, filter, scope, visibility);
  const { items, total, holds } =
    condition === null
      ? await browse(context, session, { ...scope, earliest }, page, visibility)
      : { ...(await search(context, session, scope, condition, page, visibility)), holds: () => false };
  return { list: { items: await summaries(context, items, session), total, cursor }, holds };
}

/** Reads a page in index order. Counts the list's rows by index entries if no counter has the total. */
async function browse(
  context: Context,
  session: ClientSession,
  { rows, hint, total, earliest }: Scope & Pick<ListFacts, 'earliest'>,
  page: Page,
  visibility: Visibility,
): Promise<Slice<SummaryRow> & Pick<Expiry, 'holds'>> {
  const { messages } = context.collections;
  const bound = total === null ? { maxTimeMS: limits.answers.searchMs } : {};
  const options = { session, ...snapshot, hint, ...bound };
  const visible: Filter<MessageRow> = { ...rows, ...unexpired(visibility) };
  const [items, counted, { expired, holds }] = await Promise.all([
    messages
      .find<SummaryRow>(visible, { ...options, projection: summaryFields })
      .sort(newestFirst)
      .skip(offsetOf(page))
      .limit(page.limit)
      .toArray(),
    total === null ? messages.countDocuments(visible, options) : null,
    expiryOf(context, session, rows, earliest, visibility),
  ]);
  return { items, total: counted ?? (total ?? 0) - expired, holds };
}

/** Reads a page and its total in one pass over all of the scope's rows. */
async function search(
  { collections: { messages } }: Context,
  session: ClientSession,
  { rows, hint }: Scope,
  condition: Filter<MessageRow>,
  page: Page,
  visibility: Visibility,
): Promise<Slice<SummaryRow>> {
  const options = { session, ...snapshot, hint, maxTimeMS: limits.answers.searchMs };
  const [found] = await messages
    .aggregate<{ items: SummaryRow[]; counted: { total: number }[] }>(
      [
        { $match: { ...rows, ...unexpired(visibility), $and: [condition] } },
        { $sort: newestFirst },
        { $project: summaryFields },
        {
          $facet: {
            items: [{ $skip: offsetOf(page) }, { $limit: page.limit }],
            counted: [{ $count: 'total' }],
          },
        },
      ],
      options,
    )
    .toArray();
  return { items: found?.items ?? [], total: found?.counted[0]?.total ?? 0 };
}

async function summaries(
  context: Context,
  rows: SummaryRow[],
  session: ClientSession,
): Promise<MessageSummary[]> {
  const threads = await threadIds(context, rows, session);
  const unfilled = rows.filter((row) => foundInRow(row) === null);
  const read = await readFound(context, unfilled);
  return rows.map((row) => {
    const found = foundInRow(row) ?? read.get(row._id) ?? { code: null, mainLink: null };
    return toSummary(row, threads.get(row.conversationId) ?? null, found);
  });
}
