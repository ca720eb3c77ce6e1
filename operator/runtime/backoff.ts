/**
 * Delay before the next try, ms, after `failures` in a row. Doubles from `baseMs` to `capMs`. Half of it is random, which
 * spreads the tries of callers that failed together.
 */
export function backoffMs(
  failures: number,
  { baseMs, capMs, random = Math.random }: { baseMs: number; capMs: number; random?: () => number },
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (full / 2) * random();
}
