import { setTimeout as sleep } from 'node:timers/promises';
import { Overloaded, TooMany } from '#core/errors.ts';

const overloadedMs = 1000;

/**
 * Runs work until it succeeds. Repeats work refused as one of too many after the required delay, within a time limit. Each
 * attempt gets the remaining time. Then throws the refusal.
 */
export async function repeated<T>(
  ms: number,
  signal: AbortSignal,
  work: (leftMs: number) => Promise<T>,
  isRefusal: (error: unknown) => boolean = (error) => error instanceof TooMany || error instanceof Overloaded,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    try {
      return await work(Math.max(0, end - performance.now()));
    } catch (error) {
      const pauseMs = error instanceof TooMany ? error.retryAfterMs : overloadedMs;
      if (!isRefusal(error) || signal.aborted || performance.now() + pauseMs > end) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
