/** What one entry takes besides its value. */
const entryOctets = 200;

/** Remembers values for a time, within `maxOctets` of memory: what was not used for longest goes first. */
export type DnsCache<T> = {
  get(key: string): T | undefined;
  /** `octets` is about what the value takes; a lifetime of 0 is not kept. */
  set(key: string, value: T, lifetimeMs: number, octets: number): void;
};

/** `now` is in milliseconds, from any start, and never goes back. */
export function createDnsCache<T>(maxOctets: number, now: () => number): DnsCache<T> {
  type Entry = { value: T; until: number; octets: number };
  const entries = new Map<string, Entry>();
  let total = 0;

  function add(key: string, entry: Entry): void {
    total += entry.octets;
    entries.set(key, entry);
  }

  function remove(key: string): void {
    total -= entries.get(key)?.octets ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      remove(key);
      if (entry.until <= now()) return undefined;
      // Put back, it is the newest in the map's order.
      add(key, entry);
      return entry.value;
    },
    set(key, value, lifetimeMs, valueOctets) {
      remove(key);
      const octets = entryOctets + valueOctets;
      if (lifetimeMs <= 0 || octets > maxOctets) return;
      add(key, { value, until: now() + lifetimeMs, octets });
      for (const oldest of entries.keys()) {
        if (total <= maxOctets) break;
        remove(oldest);
      }
    },
  };
}
