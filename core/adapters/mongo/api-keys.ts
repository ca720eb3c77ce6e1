import type { ApiKey, ApiKeyStore } from '#core/access/access.ts';
import { offsetOf } from '#core/page.ts';
import type { Context } from './context.ts';
import { isDuplicate } from './errors.ts';
import { createGather } from './gather.ts';
import { createKnownUsers } from './known-users.ts';
import type { ApiKeyRow } from './rows.ts';

/** Keys of earlier versions say nothing of who manages them. */
function toApiKey({ _id: id, name, prefix, managedBy = null, createdAt, lastUsedAt }: ApiKeyRow): ApiKey {
  return { id, name, prefix, managedBy, createdAt, lastUsedAt };
}

export function createApiKeys({ collections: { apiKeys, users }, ids }: Context): ApiKeyStore {
  const userOf = createKnownUsers(users);
  // Asked at each request, since any process may have revoked it; requests that come in together ask together.
  const rowOf = createGather<string, ApiKeyRow>(async (hashes) => {
    const rows = await apiKeys.find({ hash: { $in: hashes } }).toArray();
    return new Map(rows.map((row) => [row.hash, row]));
  });
  return {
    async insert(owner, { name, prefix, hash, managedBy = null, createdAt }) {
      const [id = 0] = await ids.take('apiKeys', 1);
      const row = { _id: id, owner, name, prefix, hash, managedBy, createdAt, lastUsedAt: null };
      try {
        await apiKeys.insertOne(row);
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
    async findByHash(hash) {
      const row = await rowOf(hash);
      const user = row === null ? null : await userOf(row.owner);
      return row === null || user === null ? null : { key: toApiKey(row), user };
    },
    async touch(id, now) {
      await apiKeys.updateOne({ _id: id }, { $set: { lastUsedAt: now } });
    },
    async remove(owner, id) {
      return (await apiKeys.deleteOne({ _id: id, owner })).deletedCount === 1;
    },
  };
}
