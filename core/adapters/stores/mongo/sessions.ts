import type { SessionStore } from '#core/access/access.ts';
import { createBatchLoader } from '#core/adapters/stores/mongo/cache/batch-loader.ts';
import { createKnownUsers } from '#core/adapters/stores/mongo/cache/known-users.ts';
import type { SessionRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Context } from './context.ts';

export function createSessions({
  collections: { sessions, users, apiKeys },
  withUserLock,
}: Context): SessionStore {
  const userOf = createKnownUsers(users);
  // Reads sessions at each request, since any process may have ended them. Simultaneous requests share one query.
  const rowOf = createBatchLoader<string, SessionRow>(async (hashes) => {
    const rows = await sessions.find({ _id: { $in: hashes } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  return {
    // Take the user lock, which removals take too: each reads the other's writes.
    insert: ({ hash, userId, origin, createdAt, expiresAt }, most) =>
      withUserLock([userId], async ({ session }) => {
        const keyId = 'keyId' in origin ? origin.keyId : null;
        const proof =
          'keyId' in origin
            ? await apiKeys.findOne({ _id: origin.keyId, owner: userId }, { session })
            : await users.findOne({ _id: userId, passwordHash: origin.passwordHash }, { session });
        if (proof === null) return null;
        const beyond = await sessions
          .find({ userId }, { session, projection: { _id: 1 } })
          .sort({ expiresAt: -1 })
          .skip(most - 1)
          .toArray();
        if (beyond.length > 0) {
          await sessions.deleteMany({ _id: { $in: beyond.map(({ _id }) => _id) } }, { session });
        }
        await sessions.insertOne({ _id: hash, userId, keyId, createdAt, expiresAt }, { session });
        return beyond.length;
      }),
    async find(hash, now) {
      const row = await rowOf(hash);
      if (row === null || row.expiresAt <= now) return null;
      const user = await userOf(row.userId);
      return user && { user, createdAt: row.createdAt, expiresAt: row.expiresAt };
    },
    async extend(hash, expiresAt) {
      await sessions.updateOne({ _id: hash }, { $set: { expiresAt } });
    },
    async remove(hash) {
      await sessions.deleteOne({ _id: hash });
    },
    async removeOthers(userId, keepHash) {
      await withUserLock([userId], async ({ session }) => {
        await sessions.deleteMany({ userId, _id: { $ne: keepHash } }, { session });
      });
    },
    async removeExpired(now) {
      await sessions.deleteMany({ expiresAt: { $lte: now } });
    },
  };
}
