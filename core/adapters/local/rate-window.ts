import type { RateWindow } from '#core/access/access.ts';

/** Calls of one key that are in its window, the oldest first. */
type Log = { windowMs: number; calls: { slot: string; at: number }[] };

/** Keys that are remembered at once: of more, the one whose last call is longest ago is forgotten. */
const mostKeys = 100_000;

/** A sliding log of calls in this process. `now` is in milliseconds and must not go back. */
export function createLocalRateWindow(now: () => number = () => performance.now()): RateWindow & {
  /** Keys that are remembered now. */
  size(): number;
} {
  const logs = new Map<string, Log>();
  let lastSlot = 0;

  const dropPast = (log: Log, at: number): void => {
    const first = log.calls.findIndex((call) => call.at > at - log.windowMs);
    log.calls.splice(0, first < 0 ? log.calls.length : first);
  };
  /** Looks at the two keys that were used longest ago, so that as many keys go as come. */
  const forget = (at: number): void => {
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
        // Last in the map is who called last.
        logs.delete(key);
        logs.set(key, log);
      }
      forget(at);
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
