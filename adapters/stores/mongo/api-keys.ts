import type { Filter } from 'mongodb';
import { createBatchLoader } from '#adapters/stores/mongo/cache/batch-loader.ts';
import { createKnownUsers } from '#adapters/stores/mongo/cache/known-users.ts';
import type { DatedReads } from '#adapters/stores/mongo/cache/reader.ts';
import { type ApiKeyRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { DatedRoles } from '#adapters/stores/mongo/teams/roles.ts';
import type { ApiKey, ApiKeyStore, KeyHolder } from '#core/access/access.ts';
import { touchEveryMs } from '#core/access/api-keys.ts';
import type { Role } from '#core/access/role.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { offsetOf } from '#core/page.ts';
import type { Context } from './context.ts';
import { isDuplicate, isTimeLimit } from './errors.ts';
import { checkQuota } from './quota.ts';

/** Most keys whose owners are cached. The cache is emptied when it is full. */
const mostOwners = 10_000;
/** Longest time to note the use of a key, which its request waits for. */
const touchWithinMs = 500;
/** Approximate size of a cached key, bytes. */
const keyBytes = 500;

/** Keys, and the reading of the holder of one, for the session that was made with it. */
type ApiKeys = Omit<ApiKeyStore, 'findByHash'> &
  DatedReads['apiKeys'] & { holderOf(id: Id, notBefore?: number): Promise<KeyHolder | null> };

export function createApiKeys(
  { collections, ids, withTeamLock, cachedRead }: Context,
  { roleOf }: DatedRoles,
): ApiKeys {
  const { apiKeys, users, teams, members, sessions } = collections;
  const userOf = createKnownUsers(users);
  const toApiKey = async ({ _id: id, hash: _hash, createdBy, ...rest }: ApiKeyRow): Promise<ApiKey> => ({
    id,
    ...rest,
    createdBy: createdBy === null ? null : await userOf(createdBy),
  });
  const toHolder = async (row: ApiKeyRow | null, notBefore?: number): Promise<KeyHolder | null> => {
    if (row === null) return null;
    const role: Role | null =
      row.createdBy === null ? 'member' : await roleOf(row.owner, row.createdBy, notBefore);
    return role && { key: await toApiKey(row), role };
  };
  /**
   * Makes a reader of rows by a value that each key has of its own. The read cache has a row like other values of its owner,
   * because any process may revoke a key. `isFresh` tells whether a cached row may be used.
   */
  const rowsBy = <Value extends string | Id>(
    conditionFor: (values: Value[]) => Filter<ApiKeyRow>,
    valueIn: (row: ApiKeyRow) => Value,
    isFresh: (row: ApiKeyRow) => boolean,
  ) => {
    const owners = new Map<Value, Id>();
    // Reads the keys of simultaneous requests with one query.
    const read = createBatchLoader<Value, ApiKeyRow>(async (values) => {
      const rows = await apiKeys.find(conditionFor(values)).toArray();
      return new Map(rows.map((row) => [valueIn(row), row]));
    });
    const remembered = (owner: Id, value: Value, notBefore: number | undefined) =>
      cachedRead(owner, `key ${value}`, {
        read: () => read(value),
        bytes: () => keyBytes,
        isFresh: (row) => row !== null && isFresh(row),
        outlivesMail: true,
        notBefore,
      });
    return async (value: Value, notBefore?: number): Promise<ApiKeyRow | null> => {
      const owner = owners.get(value);
      const row = await (owner === undefined ? read(value) : remembered(owner, value, notBefore));
      if (owners.size >= mostOwners) owners.clear();
      if (row !== null) owners.set(value, row.owner);
      return row;
    };
  };
  const rowOfHash = rowsBy<string>(
    (hashes) => ({ hash: { $in: hashes } }),
    ({ hash }) => hash,
    // Reads a key again when its use is to be written again.
    ({ lastUsedAt }) => Date.now() - (lastUsedAt?.getTime() ?? 0) < touchEveryMs,
  );
  const rowOfId = rowsBy<Id>(
    (keyIds) => ({ _id: { $in: keyIds } }),
    ({ _id }) => _id,
    () => true,
  );
  return {
    async insert(
      owner,
      { name, prefix, hash, scope = 'full', createdAt, ...more },
      { most, byMember = false } = {},
    ) {
      const { expiresAt = null, createdBy = null, managedBy = null } = more;
      const [id = 0] = await ids.take('apiKeys', 1);
      const origin = { createdBy: createdBy?.id ?? null, managedBy, createdAt, lastUsedAt: null };
      const row = { _id: id, owner, name, prefix, hash, scope, expiresAt, ...origin };
      try {
        // Locks the creator too, whose removal removes all keys that they made.
        await withTeamLock([owner, createdBy?.id ?? owner], async ({ session }) => {
          if ((await teams.findOne({ _id: owner, ...notDeleted }, { session })) === null)
            throw new NotFound();
          if (createdBy !== null) {
            const { id: user } = createdBy;
            const found = byMember
              ? await members.findOne({ team: owner, user }, { session })
              : await users.findOne({ _id: user }, { session });
            if (found === null) throw new NotFound();
          }
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
      return { items: await Promise.all(items.map(toApiKey)), total };
    },
    async listManaged(owner) {
      const rows = await apiKeys.find({ owner, managedBy: { $type: 'string' } }).toArray();
      return Promise.all(rows.map(toApiKey));
    },
    async find(owner, id) {
      const row = await apiKeys.findOne({ _id: id, owner });
      return row === null ? null : toApiKey(row);
    },
    async findByHash(hash, notBefore) {
      return toHolder(await rowOfHash(hash, notBefore), notBefore);
    },
    async holderOf(id, notBefore) {
      return toHolder(await rowOfId(id, notBefore), notBefore);
    },
    // Leaves the use unnoted where another transaction holds the key, which a dead process may do for a minute.
    async touch(id, now) {
      const use = { $set: { lastUsedAt: now } };
      await apiKeys.updateOne({ _id: id }, use, { maxTimeMS: touchWithinMs }).catch((error) => {
        if (!isTimeLimit(error)) throw error;
      });
    },
    remove: (owner, id) =>
      withTeamLock([owner], async ({ session }) => {
        if ((await apiKeys.deleteOne({ _id: id, owner }, { session })).deletedCount === 0) return false;
        await sessions.deleteMany({ keyId: id }, { session });
        return true;
      }),
  };
}
