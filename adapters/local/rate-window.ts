import type { RateWindow } from '#core/access/access.ts';

/** Calls of one key within its window, oldest first. */
type Log = { windowMs: number; calls: { slot: string; at: number }[] };

/** Maximum number of keys. Above it, the key whose last call is oldest is evicted. */
const mostKeys = 100_000;

/** Sliding log of calls in this process. `now` is a monotonic clock in ms. */
export function createLocalRateWindow(now: () => number = () => performance.now()): RateWindow & {
  /** Number of keys with calls. */
  size(): number;
} {
  const logs = new Map<string, Log>();
  let lastSlot = 0;

  const dropPast = (log: Log, at: number): void => {
    const first = log.calls.findIndex((call) => call.at > at - log.windowMs);
    log.calls.splice(0, first < 0 ? log.calls.length : first);
  };
  /** Cleans the two least recently used keys at each call, so keys are evicted as fast as they are added. */
  const evict = (at: number): void => {
    let looked = 0;
    for (const [key, log] of logs) {
      if (looked === 2) return;
      looked += 1;
      dropPast(log, at);
      if (log.calls.length === 0 || logs.size > mostKeys) logs.delete(key);
    }
  };

  return {
    size: () => logs.size,
    async take(key, limit, windowMs) {
      const at = now();
      const log: Log = { windowMs, calls: logs.get(key)?.calls ?? [] };
      dropPast(log, at);
      const free = log.calls.length < limit;
      let slot: string | null = null;
      if (free) {
        lastSlot += 1;
        slot = String(lastSlot);
        log.calls.push({ slot, at });
        // Moves the key to the end of the map's order as the most recently used.
        logs.delete(key);
        logs.set(key, log);
      }
      evict(at);
      const oldest = log.calls[0]?.at ?? at;
      return { slot, remaining: Math.max(0, limit - log.calls.length), resetMs: oldest + windowMs - at };
    },
    async giveBack(key, slot) {
      const log = logs.get(key);
      if (log === undefined) return;
      log.calls = log.calls.filter((call) => call.slot !== slot);
      if (log.calls.length === 0) logs.delete(key);
    },
  };
}
