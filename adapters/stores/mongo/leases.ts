import type { LeaseStore } from '#core/store.ts';
import type { Context } from './context.ts';
import { isDuplicate } from './errors.ts';

export function createLeases({ collections: { leases } }: Context): LeaseStore {
  return {
    async claim(name, holder, ttlMs, now) {
      const expiresAt = new Date(now.getTime() + ttlMs);
      try {
        await leases.updateOne(
          { _id: name, $or: [{ holder }, { expiresAt: { $lte: now } }] },
          { $set: { holder, expiresAt } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // Another holder has the lease. Nothing matched, so the upsert tried to insert a second row.
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
  };
}
