import { SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { LinkedController } from '#gate/linked-controller.ts';
import { type MessageFilter, workOf } from './message-filter.ts';

/**
 * Queues of searches: `texts` for those that read the texts of messages, `fields` for all others. Neither waits for the
 * other.
 */
export type SearchLane = 'texts' | 'fields';

/** Terms of a search. The store splits its work into slices of some milliseconds, each in a turn of its own. */
export type SearchTerms = {
  /** Signal that is aborted at the deadline, and when nobody waits for the result any longer. */
  signal: AbortSignal;
  /** Runs one slice when it is the user's turn. Rejects once `signal` is aborted. */
  turn<T>(slice: () => Promise<T>): Promise<T>;
};

/** Runs a search under terms that it receives when its turn comes. */
export type SearchRunner = <T>(work: (terms: SearchTerms) => Promise<T>) => Promise<T>;

/** Runs searches without a deadline and beside each other: for tests and tools. */
export const unhindered: SearchRunner = (work) =>
  work({ signal: new AbortController().signal, turn: (slice) => slice() });

export type SearchTurns = {
  /**
   * Runs a search under terms whose deadline begins now. `look`: a repeated reading of a wait, which the limit on waits
   * bounds and which is never refused. Throws TooManySearches, and SearchTimeout at the deadline.
   */
  search<T>(
    owner: Id,
    filter: MessageFilter,
    asker: { signal?: AbortSignal | undefined; look?: boolean },
    work: (terms: SearchTerms) => Promise<T>,
  ): Promise<T>;
};

/** Returns the queue of a filter's searches. */
export function laneOf(filter: MessageFilter): SearchLane {
  return workOf(filter) === 'texts' ? 'texts' : 'fields';
}

type Bounds = Pick<typeof limits.answers, 'searches' | 'fieldSearches' | 'searchesAtOnce' | 'searchMs'>;

export function createSearchTurns(
  limitReached: (limit: LimitName) => void,
  bounds: Bounds = limits.answers,
): SearchTurns {
  const lanes = { texts: new Lane(bounds.searchesAtOnce), fields: new Lane(bounds.searchesAtOnce) };
  const most = { texts: bounds.searches, fields: bounds.fieldSearches };
  const names = { texts: 'answers.searches', fields: 'answers.fieldSearches' } as const;
  return {
    async search(owner, filter, { signal, look = false }, work) {
      const name = laneOf(filter);
      const lane = lanes[name];
      if (!look && lane.underWay(owner) >= most[name]) {
        limitReached(names[name]);
        throw new TooManySearches(`You have ${most[name]} such searches under way already`, 1000);
      }
      using ending = new LinkedController(signal, bounds.searchMs);
      const turn = <T>(slice: () => Promise<T>) => lane.turn(owner, ending.signal, slice);
      if (!look) lane.count(owner, 1);
      try {
        return await work({ signal: ending.signal, turn });
      } catch (error) {
        if (!ending.signal.aborted) throw error;
        if (!ending.isLate) throw new StoreUnavailable('The search was broken off');
        limitReached('answers.searchMs');
        throw new SearchTimeout('The search took too long');
      } finally {
        if (!look) lane.count(owner, -1);
      }
    },
  };
}

/** Round-robin queue of slices: users come in turn with one slice each, and a user has one running at a time. */
class Lane {
  readonly #places: number;
  readonly #searches = new Map<Id, number>();
  /** Waiting slices by user, the next user first. */
  readonly #waiting = new Map<Id, Set<() => void>>();
  readonly #running = new Set<Id>();

  constructor(places: number) {
    this.#places = places;
  }

  underWay(owner: Id): number {
    return this.#searches.get(owner) ?? 0;
  }

  count(owner: Id, change: number): void {
    const count = this.underWay(owner) + change;
    if (count === 0) this.#searches.delete(owner);
    else this.#searches.set(owner, count);
  }

  async turn<T>(owner: Id, signal: AbortSignal, slice: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#waiting.size === 0 && this.#isFree(owner)) this.#running.add(owner);
    else await this.#place(owner, signal);
    try {
      return await slice();
    } finally {
      this.#running.delete(owner);
      this.#next();
    }
  }

  #isFree(owner: Id): boolean {
    return this.#running.size < this.#places && !this.#running.has(owner);
  }

  #place(owner: Id, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const own = this.#waiting.get(owner) ?? new Set();
      const leave = () => {
        own.delete(begin);
        if (own.size === 0) this.#waiting.delete(owner);
        reject(signal.reason);
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.set(owner, own.add(begin));
      this.#next();
    });
  }

  #next(): void {
    for (const [owner, own] of this.#waiting) {
      if (this.#running.size >= this.#places) return;
      const [begin] = own;
      if (this.#running.has(owner) || begin === undefined) continue;
      own.delete(begin);
      // The user goes to the end of the queue.
      this.#waiting.delete(owner);
      if (own.size > 0) this.#waiting.set(owner, own);
      this.#running.add(owner);
      begin();
    }
  }
}
