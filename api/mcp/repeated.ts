import { setTimeout as sleep } from 'node:timers/promises';
import { Overloaded, TooMany } from '#core/errors.ts';

const overloadedMs = 1000;

/**
 * Runs work until it succeeds. If too many requests are running and the work is refused, repeats it after the required delay. Each
 * attempt gets the rest of the time limit. Throws the refusal once the time is up.
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
