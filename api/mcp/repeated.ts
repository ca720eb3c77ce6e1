import { setTimeout as sleep } from 'node:timers/promises';
import { Overloaded, TooMany } from '#core/errors.ts';

const overloadedMs = 1000;

/**
 * Works until it succeeds. Repeats what is refused for being one of many, when it may be, as long as that is within some time. Each
 * attempt is given the time that is left. Then throws the refusal.
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
