/**
 * How long to wait before the next try, ms, after `failures` in a row: doubling from `baseMs` to `capMs`, each time
 * between half of that and all of it, so that many who failed together do not come back together.
 */
export function backoffMs(
  failures: number,
  { baseMs, capMs, random = Math.random }: { baseMs: number; capMs: number; random?: () => number },
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (full / 2) * random();
}
