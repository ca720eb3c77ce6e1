import type { MongoClient } from 'mongodb';

/** The name that all processes of the program give themselves to MongoDB. */
export const appName = 'sandpost';

/** Between two statements of a transaction lie milliseconds: whose process was silent for so long is dead or stands still. */
const silentMs = 2000;
const lookEveryMs = 500;

/**
 * Gives a function that ends transactions of processes that went away in their middle, which MongoDB itself does after a
 * minute only; until then nobody else can write what they wrote. It may be called often and looks twice a second. A
 * process that only stood still sees its transaction fail, and begins it anew. Never rejects: what cannot be ended ends
 * by itself.
 */
export function createAbandonedCheck(client: MongoClient): () => Promise<void> {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - lookedAt < lookEveryMs) return;
    lookedAt = performance.now();
    const admin = client.db('admin');
    try {
      const abandoned = await admin
        .aggregate<{ lsid: { id: unknown } }>(
          [
            { $currentOp: { idleSessions: true, allUsers: false } },
            { $match: { appName, 'transaction.timeInactiveMicros': { $gt: silentMs * 1000 } } },
            { $project: { lsid: 1 } },
          ],
          { readConcern: { level: 'local' }, timeoutMS: 2000 },
        )
        .toArray();
      if (abandoned.length === 0) return;
      await admin.command({ killSessions: abandoned.map(({ lsid: { id } }) => ({ id })) });
    } catch {}
  };
}
