import { TooMany } from '#core/errors.ts';
import { FairQueue } from './fair-queue.ts';

/**
 * Runs up to `places` pieces of work at a time, and up to `placesPerKey` of them for one key. Keys take turns, and each key's work runs
 * in order. Throws TooMany if the key already has `waitingPerKey` waiting pieces of work. Throws the reason of `signal` if it aborts
 * before the work starts.
 */
export type FairLimiter = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

type Options = { places?: number; placesPerKey?: number; waitingPerKey?: number; onFull?: () => void };

const retryAfterMs = 1000;

export function createFairLimiter({
  places = Number.POSITIVE_INFINITY,
  placesPerKey = Number.POSITIVE_INFINITY,
  waitingPerKey = Number.POSITIVE_INFINITY,
  onFull = () => {},
}: Options): FairLimiter {
  const waiting = new FairQueue<() => void>();
  /** Work of keys that already use all of their places. */
  const held = new FairQueue<() => void>();
  const taken = new Map<string, number>();
  let free = places;

  const takenBy = (key: string) => taken.get(key) ?? 0;
  const begin = (): void => {
    while (free > 0 && waiting.size > 0) {
      free -= 1;
      waiting.shift()?.();
    }
  };
  const place = async (key: string): Promise<void> => {
    if (waiting.sizeOf(key) + held.sizeOf(key) >= waitingPerKey) {
      onFull();
      throw new TooMany('Too many requests of this kind are waiting', retryAfterMs);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    if (takenBy(key) >= placesPerKey) held.push(key, resolve);
    else {
      taken.set(key, takenBy(key) + 1);
      waiting.push(key, resolve);
    }
    begin();
    await promise;
  };
  const leave = (key: string): void => {
    free += 1;
    const next = held.shiftOf(key);
    if (next !== undefined) waiting.push(key, next);
    else if (takenBy(key) > 1) taken.set(key, takenBy(key) - 1);
    else taken.delete(key);
    begin();
  };

  return async (key, work, signal) => {
    signal?.throwIfAborted();
    const placed = place(key);
    await (signal ? unlessAborted(placed, signal, () => leave(key)) : placed);
    try {
      return await work();
    } finally {
      leave(key);
    }
  };
}

/** Waits for a place. If `signal` has already aborted when a place is assigned, gives the place back immediately. */
async function unlessAborted(placed: Promise<void>, signal: AbortSignal, leave: () => void): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([placed, aborted]);
  } catch (error) {
    placed.then(leave, () => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
