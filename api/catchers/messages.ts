import { setTimeout as delay } from 'node:timers/promises';
import { operation } from '#api/operation.ts';
import { bulkRequest, bulkShape } from '#api/shapes/bulk.ts';
import { HttpFault } from '#api/shapes/problem.ts';
import { invalid, NotFound, TooManySearches } from '#core/errors.ts';
import { parseId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { listMessages } from '#core/messages/list-messages.ts';
import type { MessageSummary } from '#core/messages/message.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import type { Query } from '#core/messages/query.ts';
import { pathId } from './reading.ts';
import type { CatcherCall } from './route.ts';

/** Maximum messages read per page here, and in a list. */
const pageSize = 200;
/** Delay in ms before a search is repeated that was refused because too many were running. */
const turnMs = 50;
export const mostMessages = limits.answers.bulkIds;

const changeMessages = operation('changeMessages', bulkShape);

/** Reads a list's messages, newest first, and counts all messages that match. */
export async function messagesOf(
  call: Pick<CatcherCall, 'services' | 'caller' | 'signal'>,
  filter: MessageFilter,
  { start = 0, limit = mostMessages }: { start?: number; limit?: number } = {},
): Promise<{ items: MessageSummary[]; total: number }> {
  const { services, caller, signal } = call;
  const size = start % Math.max(limit, 1) === 0 && limit <= pageSize ? Math.max(limit, 1) : pageSize;
  const items: MessageSummary[] = [];
  for (let at = start; ; at = start + items.length) {
    const page = { page: Math.floor(at / size) + 1, limit: size };
    const asker = { user: caller.userId, signal };
    const found = await inTurn(signal, () => listMessages(services, caller.team, filter, {}, page, asker));
    for (const one of found.items.slice(at % size)) items.push(one);
    if (items.length >= limit || found.items.length < size)
      return { items: items.slice(0, limit), total: found.total };
  }
}

/**
 * Runs a search as soon as a running one has ended, after waiting at most as long as a search may take. Clients of other mail catchers
 * poll in parallel, and do not retry. Throws TooManySearches after that time.
 */
async function inTurn<T>(signal: AbortSignal, search: () => Promise<T>): Promise<T> {
  const until = performance.now() + limits.answers.searchMs;
  for (;;) {
    try {
      return await search();
    } catch (error) {
      if (!(error instanceof TooManySearches) || performance.now() > until) throw error;
    }
    await delay(turnMs, undefined, { signal });
  }
}

/** Reads a whole number from a query as Go does: any other text counts as absent. */
export function wholeNumber(text: string | null, fallback: number): number {
  return text !== null && /^\+?\d{1,15}$/.test(text) ? Number(text) : fallback;
}

/** Converts ids to numbers, and omits invalid ones. Throws Invalid for too many ids. */
export function idsOf(given: string[]): number[] {
  if (given.length > mostMessages)
    throw invalid('IDs', `may have at most ${mostMessages} items`, 'answers.bulkIds');
  return given.flatMap((text) => parseId(text) ?? []);
}

/** Deletes the message that the path names. Throws NotFound. */
export async function deleteOne(call: CatcherCall): Promise<void> {
  const ids = [String(pathId(call))];
  if ((await changeAll(call, { ids }, 'delete')) === 0) throw new NotFound();
}

/** Messages selected by ids or by a search. All messages if both are missing. */
export type Which = { ids?: string[]; query?: Query; q?: string };

/**
 * Performs a bulk change, and returns the number of changed messages. Other mail catchers change everything in one request. Throws
 * HttpFault if the change exceeds the time limit of a bulk change.
 */
export async function changeAll(
  call: CatcherCall,
  { ids, query, q = '' }: Which,
  action: string,
  tag?: string,
): Promise<number> {
  const selected = ids === undefined ? { q } : { ids: idsOf(ids) };
  const body = bulkRequest.read({ ...selected, action, ...(tag !== undefined && { tag }) });
  const given = query === undefined ? body : { ...body, query };
  const { done, changed } = await inTurn(call.signal, () => changeMessages(call, { body: given }));
  if (done) return changed;
  throw unfinished();
}

/** Creates the response for a change that takes too long for one request. */
export function unfinished(): HttpFault {
  const detail = 'Not all messages have been changed yet: send the request again';
  return new HttpFault({ status: 503, code: 'too_busy', detail, headers: { 'Retry-After': '1' } });
}
