import { TooMany } from '#core/errors.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * Runs a few pieces of work at a time. Keys take turns, and work of one key runs in order. Throws TooMany if too much work
 * of the key waits.
 */
export type FairLimiter = <T>(key: string, work: () => Promise<T>) => Promise<T>;

type Options = { places: number; waitingPerKey: number; onFull: () => void };

const retryAfterMs = 1000;

export function createFairLimiter({ places, waitingPerKey, onFull }: Options): FairLimiter {
  const waiting = new FairQueue<() => void>();
  let free = places;

  const place = async (key: string): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.sizeOf(key) >= waitingPerKey) {
      onFull();
      throw new TooMany('Too much work of this kind is waiting', retryAfterMs);
    }
    await new Promise<void>((resolve) => waiting.push(key, resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };

  return async (key, work) => {
    await place(key);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
