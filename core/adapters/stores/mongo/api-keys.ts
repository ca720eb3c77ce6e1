import type { ApiKey, ApiKeyStore } from '#core/access/access.ts';
import { touchEveryMs } from '#core/access/api-keys.ts';
import { createBatchLoader } from '#core/adapters/stores/mongo/cache/batch-loader.ts';
import { createKnownUsers } from '#core/adapters/stores/mongo/cache/known-users.ts';
import type { DatedReads } from '#core/adapters/stores/mongo/cache/reader.ts';
import type { ApiKeyRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { offsetOf } from '#core/page.ts';
import type { Context } from './context.ts';
import { isDuplicate } from './errors.ts';
import { checkQuota } from './quota.ts';

function toApiKey({ _id: id, name, prefix, managedBy, createdAt, lastUsedAt }: ApiKeyRow): ApiKey {
  return { id, name, prefix, managedBy, createdAt, lastUsedAt };
}

/** Most keys whose owners are cached. The cache is emptied when it is full. */
const mostOwners = 10_000;
/** Approximate size of a cached key, bytes. */
const keyBytes = 500;

export function createApiKeys({
  collections: { apiKeys, users, sessions },
  ids,
  withUserLock,
  cachedRead,
}: Context): Omit<ApiKeyStore, 'findByHash'> & DatedReads['apiKeys'] {
  const userOf = createKnownUsers(users);
  const owners = new Map<string, Id>();
  // Reads the keys of simultaneous requests with one query.
  const read = createBatchLoader<string, ApiKeyRow>(async (hashes) => {
    const rows = await apiKeys.find({ hash: { $in: hashes } }).toArray();
    return new Map(rows.map((row) => [row.hash, row]));
  });
  /**
   * Returns a key's row. The read cache has it like other values of its owner, because any process may revoke a key. An entry
   * expires when the key's use is to be written again (`touchEveryMs`).
   */
  const rowOf = async (hash: string, notBefore?: number): Promise<ApiKeyRow | null> => {
    const owner = owners.get(hash);
    const wasUsed = ({ lastUsedAt }: ApiKeyRow) => Date.now() - (lastUsedAt?.getTime() ?? 0) < touchEveryMs;
    const remembered = (owner: Id) =>
      cachedRead(owner, `key ${hash}`, {
        read: () => read(hash),
        bytes: () => keyBytes,
        isFresh: (row) => row !== null && wasUsed(row),
        notBefore,
      });
    const row = await (owner === undefined ? read(hash) : remembered(owner));
    if (owners.size >= mostOwners) owners.clear();
    if (row !== null) owners.set(hash, row.owner);
    return row;
  };
  return {
    async insert(owner, { name, prefix, hash, managedBy = null, createdAt }, most) {
      const [id = 0] = await ids.take('apiKeys', 1);
      const row = { _id: id, owner, name, prefix, hash, managedBy, createdAt, lastUsedAt: null };
      try {
        await withUserLock([owner], async ({ session }) => {
          await checkQuota(apiKeys, { owner }, most, session);
          await apiKeys.insertOne(row, { session });
        });
      } catch (error) {
        if (isDuplicate(error, 'hash')) return null;
        throw error;
      }
      return toApiKey(row);
    },
    async list(owner, page) {
      const rows = apiKeys.find({ owner }).sort({ _id: -1 }).skip(offsetOf(page)).limit(page.limit);
      const [items, total] = await Promise.all([rows.toArray(), apiKeys.countDocuments({ owner })]);
      return { items: items.map(toApiKey), total };
    },
    async listManaged(owner) {
      return (await apiKeys.find({ owner, managedBy: { $type: 'string' } }).toArray()).map(toApiKey);
    },
    async find(owner, id) {
      const row = await apiKeys.findOne({ _id: id, owner });
      return row === null ? null : toApiKey(row);
    },
    async findByHash(hash, notBefore) {
      const row = await rowOf(hash, notBefore);
      const user = row === null ? null : await userOf(row.owner);
      return row === null || user === null ? null : { key: toApiKey(row), user };
    },
    async touch(id, now) {
      await apiKeys.updateOne({ _id: id }, { $set: { lastUsedAt: now } });
    },
    remove: (owner, id) =>
      withUserLock([owner], async ({ session }) => {
        await sessions.deleteMany({ userId: owner, keyId: id }, { session });
        return (await apiKeys.deleteOne({ _id: id, owner }, { session })).deletedCount === 1;
      }),
  };
}
