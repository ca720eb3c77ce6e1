import { SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { offsetOf, type Page } from '#core/page.ts';
import type { MessageFilter } from './message.ts';

/**
 * Where a list is searched: `texts` reads the texts of messages, `fields` no more than their heads. The two never wait for
 * each other.
 */
export type SearchLane = 'texts' | 'fields';

/** What a store searches under. It does all work of a search in slices of some milliseconds, each in a turn of its own. */
export type SearchTerms = {
  /** Aborted at the deadline, and when nobody waits for the result any longer. */
  signal: AbortSignal;
  /** Runs one slice when it is the user's turn. Rejects once `signal` is aborted. */
  turn<T>(slice: () => Promise<T>): Promise<T>;
};

/** Runs a search when, and as long as, it may. */
export type SearchRunner = <T>(work: (terms: SearchTerms) => Promise<T>) => Promise<T>;

/** Searches without a deadline and without others beside them: for tests and tools. */
export const unhindered: SearchRunner = (work) =>
  work({ signal: new AbortController().signal, turn: (slice) => slice() });

export type SearchTurns = {
  /**
   * Runs a list under its terms. `look`: one of the repeated looks of a wait, which are bounded by the waits themselves and
   * never refused. Throws TooManySearches, and SearchTimeout at the deadline, which begins now.
   */
  search<T>(
    owner: Id,
    filter: MessageFilter,
    asker: { signal?: AbortSignal | undefined; look?: boolean },
    work: (terms: SearchTerms) => Promise<T>,
  ): Promise<T>;
};

/** Messages before a page that may be skipped without searching. */
const shortSkip = 2000;

/** Whether a list has to look at each message of its scope. */
export function isSearch({ words, to, from, subject, mailboxPath }: MessageFilter, page: Page): boolean {
  const filtered =
    Boolean(words?.length) || [to, from, subject, mailboxPath].some((part) => part !== undefined);
  return filtered || offsetOf(page) > shortSkip;
}

/** Whether a list has to read the texts of messages, or their heads alone. */
export function laneOf({ words }: MessageFilter): SearchLane {
  return (words?.length ?? 0) > 0 ? 'texts' : 'fields';
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
      const ending = new AbortController();
      const end = () => ending.abort();
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        end();
      }, bounds.searchMs);
      // `AbortSignal.any` costs several times as much.
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted) end();
      const turn = <T>(slice: () => Promise<T>) => lane.turn(owner, ending.signal, slice);
      if (!look) lane.count(owner, 1);
      try {
        return await work({ signal: ending.signal, turn });
      } catch (error) {
        if (!ending.signal.aborted) throw error;
        if (!late) throw new StoreUnavailable('The search was broken off');
        limitReached('answers.searchMs');
        throw new SearchTimeout('The search took too long');
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        if (!look) lane.count(owner, -1);
      }
    },
  };
}

/** Gives its places to users in turn: one place a user at a time, and to each user one slice before the next user's. */
class Lane {
  readonly #places: number;
  readonly #searches = new Map<Id, number>();
  /** Slices that wait, by user. The user whose turn is next comes first. */
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
      // Behind all others.
      this.#waiting.delete(owner);
      if (own.size > 0) this.#waiting.set(owner, own);
      this.#running.add(owner);
      begin();
    }
  }
}
