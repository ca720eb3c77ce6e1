import type { MongoClient } from 'mongodb';

/** Application name that all of the program's processes send to MongoDB. */
export const appName = 'sandpost';

/**
 * Time in ms without a statement after which a transaction's process counts as dead or stopped. Statements of a transaction follow one
 * another within milliseconds.
 */
const silentMs = 2000;
const lookEveryMs = 500;

/**
 * Returns a function that ends transactions whose processes died or stopped. MongoDB itself ends them after a minute, and until then
 * nobody else can write the same rows. The function may be called often: it checks at most twice a second. If a process had only stopped,
 * its transaction fails and the process retries it. Never rejects: a transaction that cannot be ended expires by itself.
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
