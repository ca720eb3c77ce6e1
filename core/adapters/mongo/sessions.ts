import type { SessionStore } from '#core/access/access.ts';
import type { Context } from './context.ts';
import { createGather } from './gather.ts';
import { createKnownUsers } from './known-users.ts';
import type { SessionRow } from './rows.ts';

export function createSessions({ collections: { sessions, users } }: Context): SessionStore {
  const userOf = createKnownUsers(users);
  // Asked at each request, since any process may have ended it; requests that come in together ask together.
  const rowOf = createGather<string, SessionRow>(async (hashes) => {
    const rows = await sessions.find({ _id: { $in: hashes } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  return {
    async insert(hash, userId, expiresAt) {
      await sessions.insertOne({ _id: hash, userId, expiresAt });
    },
    async find(hash, now) {
      const row = await rowOf(hash);
      if (row === null || row.expiresAt <= now) return null;
      const user = await userOf(row.userId);
      return user === null ? null : { user, expiresAt: row.expiresAt };
    },
    async extend(hash, expiresAt) {
      await sessions.updateOne({ _id: hash }, { $set: { expiresAt } });
    },
    async remove(hash) {
      await sessions.deleteOne({ _id: hash });
    },
    async removeOthers(userId, keepHash) {
      await sessions.deleteMany({ userId, _id: { $ne: keepHash } });
    },
    async removeExpired(now) {
      await sessions.deleteMany({ expiresAt: { $lte: now } });
    },
  };
}
