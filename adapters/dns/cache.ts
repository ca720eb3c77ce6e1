/** Estimated memory of an entry besides its value. */
const entryOctets = 200;

/** LRU cache with a lifetime for each entry and a bound on memory. */
export type DnsCache<T> = {
  get(key: string): T | undefined;
  /** Stores a value of about `octets`. A lifetime of 0 stores nothing. */
  set(key: string, value: T, lifetimeMs: number, octets: number): void;
};

/** `now` is a monotonic clock in milliseconds. */
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
      // Moves the entry to the end of the map's order: the first entries are evicted first.
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
