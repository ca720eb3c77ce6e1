import type { ManagerStore } from '#core/managers/manager.ts';
import type { LeaseStore } from '#core/store.ts';
import type { Context } from './context.ts';
import { isDuplicate } from './errors.ts';

export function createManagers({ collections: { claims, orphans } }: Context): ManagerStore {
  return {
    async claim(owner, cluster) {
      const holder = async () => (await claims.findOne({ _id: owner }))?.cluster;
      const known = await holder();
      if (known !== undefined) return known;
      await insertOnce(claims.insertOne({ _id: owner, cluster }));
      return (await holder()) ?? cluster;
    },
    async claims() {
      return new Map((await claims.find().toArray()).map(({ _id, cluster }) => [_id, cluster]));
    },
    async orphans() {
      return (await orphans.find().toArray()).map(({ _id, ...orphan }) => orphan);
    },
    async markOrphan({ owner, kind, id }, since) {
      const _id = `${kind}/${id}`;
      if (since === null) await orphans.deleteOne({ _id });
      else await insertOnce(orphans.insertOne({ _id, owner, kind, id, since }));
    },
  };
}

/** Awaits an insertion. An existing row is left unchanged. */
async function insertOnce(insertion: Promise<unknown>): Promise<void> {
  try {
    await insertion;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

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
    async release(name, holder) {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
