import type { Id } from '#core/ids.ts';
import { type MessageFilter, workOf } from './message-filter.ts';

/** Search queues: `texts` for searches that read messages' texts, `fields` for all others. Neither queue waits for the other. */
export type SearchLane = 'texts' | 'fields';

/**
 * Conditions under which a search runs. The store splits the search into slices of a few milliseconds, each of which runs in its own
 * turn.
 */
export type SearchTerms = {
  /** Signal that is aborted at the deadline, or when nobody is waiting for the result anymore. */
  signal: AbortSignal;
  /** Runs one slice when it is the user's turn. Rejects if `signal` is aborted. */
  turn<T>(slice: () => Promise<T>): Promise<T>;
};

/** Runs a search, which gets its terms when its turn comes. */
export type SearchRunner = <T>(work: (terms: SearchTerms) => Promise<T>) => Promise<T>;

/** Runs searches in parallel and without a deadline, for tests and tools. */
export const unlimitedSearches: SearchRunner = (work) =>
  work({ signal: new AbortController().signal, turn: (slice) => slice() });

export type SearchTurns = {
  /**
   * Runs a search. Its deadline counts from now. `look`: the search is a wait's repeated read. It is never refused, because the limit on
   * waits already bounds it. Throws TooManySearches, and throws SearchTimeout at the deadline.
   */
  search<T>(
    owner: Id,
    filter: MessageFilter,
    asker: { signal?: AbortSignal | undefined; look?: boolean },
    work: (terms: SearchTerms) => Promise<T>,
  ): Promise<T>;
};

/** Returns the queue for searches with a filter. */
export function laneOf(filter: MessageFilter): SearchLane {
  return workOf(filter) === 'texts' ? 'texts' : 'fields';
}
