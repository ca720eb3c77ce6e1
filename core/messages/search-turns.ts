import type { Id } from '#core/ids.ts';
import { type MessageFilter, workOf } from './message-filter.ts';

/** Search queues: `texts` for searches that read message texts, `fields` for all others. Neither waits for the other. */
export type SearchLane = 'texts' | 'fields';

/** Terms of a search. The store splits its work into slices of some milliseconds, each in a separate turn. */
export type SearchTerms = {
  /** Signal that is aborted at the deadline, and when nobody is waiting for the result anymore. */
  signal: AbortSignal;
  /** Runs one slice when it is the user's turn. Rejects once `signal` is aborted. */
  turn<T>(slice: () => Promise<T>): Promise<T>;
};

/** Runs a search under terms that it receives when its turn comes. */
export type SearchRunner = <T>(work: (terms: SearchTerms) => Promise<T>) => Promise<T>;

/** Runs searches in parallel and without a deadline: for tests and tools. */
export const unlimitedSearches: SearchRunner = (work) =>
  work({ signal: new AbortController().signal, turn: (slice) => slice() });

export type SearchTurns = {
  /**
   * Runs a search under terms whose deadline starts now. `look`: a wait's repeated read, which the limit on waits bounds and
   * which is never refused. Throws TooManySearches, and SearchTimeout at the deadline.
   */
  search<T>(
    owner: Id,
    filter: MessageFilter,
    asker: { signal?: AbortSignal | undefined; look?: boolean },
    work: (terms: SearchTerms) => Promise<T>,
  ): Promise<T>;
};

/** Returns the queue for a filter's searches. */
export function laneOf(filter: MessageFilter): SearchLane {
  return workOf(filter) === 'texts' ? 'texts' : 'fields';
}
