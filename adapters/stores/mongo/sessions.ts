import { createBatchLoader } from '#adapters/stores/mongo/cache/batch-loader.ts';
import { createKnownUsers } from '#adapters/stores/mongo/cache/known-users.ts';
import type { DatedReads } from '#adapters/stores/mongo/cache/reader.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import type { SessionRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { KeyHolder, NewSession, SessionStore, User } from '#core/access/access.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';
import { identityKey } from './users.ts';

export function createSessions(
  { collections, withTeamLock }: Context,
  { holderOf }: { holderOf(keyId: Id, notBefore?: number): Promise<KeyHolder | null> },
): Omit<SessionStore, 'find'> & DatedReads['sessions'] {
  const { sessions, users, apiKeys, identities } = collections;
  const userOf = createKnownUsers(users);
  // Reads sessions at each request, since any process may have ended them. Simultaneous requests share one query.
  const rowOf = createBatchLoader<string, SessionRow>(async (hashes) => {
    const rows = await sessions.find({ _id: { $in: hashes } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  const holder = async (
    { userId, keyId }: SessionRow,
    notBefore?: number,
  ): Promise<{ user: User } | KeyHolder | null> => {
    if (keyId !== null) return holderOf(keyId, notBefore);
    const user = await userOf(userId);
    return user && { user };
  };
  /** Tells whether the proof that a session is to begin with still holds. */
  const isProven = async ({ userId, origin }: NewSession, { session }: TeamLock): Promise<boolean> => {
    if ('keyId' in origin) {
      const key = await apiKeys.findOne({ _id: origin.keyId }, { session });
      return key !== null && (key.createdBy ?? key.owner) === userId;
    }
    const password = 'passwordHash' in origin ? { passwordHash: origin.passwordHash } : {};
    const user = await users.findOne({ _id: userId, disabledAt: null, ...password }, { session });
    if (user === null || !('identity' in origin)) return user !== null;
    return (await identities.findOne({ _id: identityKey(origin.identity), userId }, { session })) !== null;
  };
  /** Returns the team of a key, or nothing for a key that is gone. */
  const ownersOf = async (keyId: Id): Promise<Id[]> => {
    const key = await apiKeys.findOne({ _id: keyId }, { projection: { owner: 1 } });
    return key === null ? [] : [key.owner];
  };
  return {
    // Takes the locks of the user and of the key's team. Removals take one of them: each reads the other's writes.
    async insert(wanted, most) {
      const { hash, userId, origin, createdAt, expiresAt } = wanted;
      const owners = 'keyId' in origin ? [userId, ...(await ownersOf(origin.keyId))] : [userId];
      return withTeamLock(owners, async (lock) => {
        const { session } = lock;
        if (!(await isProven(wanted, lock))) return null;
        const keyId = 'keyId' in origin ? origin.keyId : null;
        const beyond = await sessions
          .find({ userId, keyId }, { session, projection: { _id: 1 } })
          .sort({ expiresAt: -1 })
          .skip(most - 1)
          .toArray();
        if (beyond.length > 0) {
          await sessions.deleteMany({ _id: { $in: beyond.map(({ _id }) => _id) } }, { session });
        }
        await sessions.insertOne({ _id: hash, userId, keyId, createdAt, expiresAt }, { session });
        return beyond.length;
      });
    },
    async find(hash, now, notBefore) {
      const row = await rowOf(hash);
      if (row === null || row.expiresAt <= now) return null;
      const found = await holder(row, notBefore);
      return found && { holder: found, createdAt: row.createdAt, expiresAt: row.expiresAt };
    },
    async extend(hash, expiresAt) {
      await sessions.updateOne({ _id: hash }, { $set: { expiresAt } });
    },
    async remove(hash) {
      await sessions.deleteOne({ _id: hash });
    },
    async removeOthers(userId, keepHash) {
      await withTeamLock([userId], async ({ session }) => {
        await sessions.deleteMany({ userId, _id: { $ne: keepHash } }, { session });
      });
    },
    async removeExpired(now) {
      await sessions.deleteMany({ expiresAt: { $lte: now } });
    },
  };
}
