import { SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { LinkedController } from '#core/linked-controller.ts';
import { laneOf, type SearchTurns } from '#core/messages/search-turns.ts';
import { Slots } from './slots.ts';

type Bounds = Pick<typeof limits.answers, 'searches' | 'fieldSearches' | 'searchesAtOnce' | 'searchMs'>;

export function createSearchTurns(
  limitReached: (limit: LimitName) => void,
  bounds: Bounds = limits.answers,
): SearchTurns {
  const queueOf = (most: number, limit: LimitName) => {
    return { most, limit, slots: new Slots<Id>(most), lane: new Lane(bounds.searchesAtOnce) };
  };
  const queues = {
    texts: queueOf(bounds.searches, 'answers.searches'),
    fields: queueOf(bounds.fieldSearches, 'answers.fieldSearches'),
  };
  return {
    async search(owner, filter, { signal, look = false }, work) {
      const { limit, most, slots, lane } = queues[laneOf(filter)];
      const leave = look ? () => {} : slots.take(owner);
      if (leave === null) {
        limitReached(limit);
        throw new TooManySearches(`You already have ${most} such searches in progress`, 1000);
      }
      using ending = new LinkedController(signal, bounds.searchMs);
      const turn = <T>(slice: () => Promise<T>) => lane.turn(owner, ending.signal, slice);
      try {
        return await work({ signal: ending.signal, turn });
      } catch (error) {
        if (!ending.signal.aborted) throw error;
        if (!ending.isLate) throw new StoreUnavailable('The search was canceled');
        limitReached('answers.searchMs');
        throw new SearchTimeout('The search took too long');
      } finally {
        leave();
      }
    },
  };
}

/** Round-robin queue of slices: users come in turn with one slice each, and a user has one running at a time. */
class Lane {
  readonly #places: number;
  /** Waiting slices by user, the next user first. */
  readonly #waiting = new Map<Id, Set<() => void>>();
  readonly #running = new Set<Id>();

  constructor(places: number) {
    this.#places = places;
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
