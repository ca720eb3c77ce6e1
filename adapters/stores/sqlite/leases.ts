import type { LeaseStore } from '#core/store.ts';

/** Leases in memory. One process at a time can open this store, so no lease has to outlive it. */
export function createLeases(): LeaseStore {
  const held = new Map<string, { holder: string; until: number }>();
  return {
    async claim(name, holder, ttlMs, now) {
      const lease = held.get(name);
      const free = lease === undefined || lease.holder === holder || lease.until <= now.getTime();
      if (free) held.set(name, { holder, until: now.getTime() + ttlMs });
      return free;
    },
  };
}
