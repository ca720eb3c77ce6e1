/**
 * Returns the delay in ms before the next attempt after `failures` consecutive failures. The delay doubles from `baseMs` to `capMs`. Half
 * of it is random, which spreads the attempts of callers that failed at the same time.
 */
export function backoffMs(
  failures: number,
  { baseMs, capMs, random = Math.random }: { baseMs: number; capMs: number; random?: () => number },
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (full / 2) * random();
}

/** Waits for `ms`, or until `signal` is aborted. Uses the global timers, which tests can replace. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
