import { SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { LinkedController } from '#core/linked-controller.ts';
import { laneOf, type SearchTurns } from '#core/messages/search-turns.ts';
import { createFairLimiter } from './fair-limiter.ts';
import { Slots } from './slots.ts';

type Bounds = Pick<typeof limits.answers, 'searches' | 'fieldSearches' | 'searchesAtOnce' | 'searchMs'>;

/** Limits users' searches. Slices of searches take turns, one slice per user at a time. */
export function createSearchTurns(
  limitReached: (limit: LimitName) => void,
  bounds: Bounds = limits.answers,
): SearchTurns {
  const queueOf = (most: number, limit: LimitName) => {
    return {
      most,
      limit,
      slots: new Slots<Id>(most),
      inTurn: createFairLimiter({ places: bounds.searchesAtOnce, placesPerKey: 1 }),
    };
  };
  const queues = {
    texts: queueOf(bounds.searches, 'answers.searches'),
    fields: queueOf(bounds.fieldSearches, 'answers.fieldSearches'),
  };
  return {
    async search(owner, filter, { signal, look = false }, work) {
      const { limit, most, slots, inTurn } = queues[laneOf(filter)];
      const leave = look ? () => {} : slots.take(owner);
      if (leave === null) {
        limitReached(limit);
        throw new TooManySearches(`You already have ${most} such searches in progress`, 1000);
      }
      using ending = new LinkedController(signal, bounds.searchMs);
      const turn = <T>(slice: () => Promise<T>) => inTurn(String(owner), slice, ending.signal);
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
