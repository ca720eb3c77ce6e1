import type { Collection, Filter } from 'mongodb';
import { createBatchLoader, type DatedReads } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { isTimeLimit } from '#adapters/stores/mongo/errors.ts';
import { memberKey } from '#adapters/stores/mongo/rows/custom-queries.ts';
import { rowFrom } from '#adapters/stores/mongo/rows/driver.ts';
import type { ApiKeyRow, MemberRow, SessionRow, UserRow } from '#adapters/stores/mongo/schema/rows.ts';
import { apiKeys as keyTable } from '#adapters/stores/rows/tables.ts';
import type { ApiKeyStore, KeyHolder, User } from '#core/access/access.ts';
import { touchEveryMs } from '#core/access/api-keys.ts';
import type { Role } from '#core/access/role.ts';
import type { Id } from '#core/ids.ts';

/** Reader of roles. A role may be as old as `notBefore`, a time by `performance.now()`. */
type DatedRoles = { roleOf(team: Id, user: Id, notBefore?: number): Promise<Role | null> };

const roleBytes = 200;

/** Reads roles through the read cache, because each membership change is made under the team's lock. */
export function createRoles({
  collections: { members },
  cachedRead,
}: Pick<Context, 'collections' | 'cachedRead'>): DatedRoles {
  const read = createBatchLoader<string, MemberRow>(async (keys) => {
    const rows = await members.find({ _id: { $in: keys } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  return {
    async roleOf(team, user, notBefore) {
      const row = await cachedRead(team, `role ${user}`, {
        read: () => read(memberKey(team, user)),
        bytes: () => roleBytes,
        isFresh: () => true,
        outlivesMail: true,
        notBefore,
      });
      return row === null || row.suspended ? null : row.role;
    },
  };
}

/** Maximum key values whose owners are remembered. */
const mostOwners = 10_000;
/** Maximum time in ms to record the use of a key. The key's request waits for this. */
const touchWithinMs = 500;
const keyBytes = 500;

/** Reads of keys, and of a key's holder, for the session that was started with the key. */
type ApiKeys = Pick<ApiKeyStore, 'touch'> &
  DatedReads['apiKeys'] & { holderOf(id: Id, notBefore?: number): Promise<KeyHolder | null> };

export function createApiKeys({ collections, cachedRead }: Context, { roleOf }: DatedRoles): ApiKeys {
  const { apiKeys, users } = collections;
  const userOf = createKnownUsers(users);
  const toKey = async (row: ApiKeyRow) => {
    const { hash: _, createdBy, ...key } = rowFrom(keyTable, row);
    return { ...key, createdBy: createdBy === null ? null : await userOf(createdBy) };
  };
  const toHolder = async (row: ApiKeyRow | null, notBefore?: number): Promise<KeyHolder | null> => {
    if (row === null) return null;
    const role: Role | null =
      row.createdBy === null ? 'member' : await roleOf(row.owner, row.createdBy, notBefore);
    return role && { key: await toKey(row), role };
  };
  /**
   * Creates a reader of rows by a value that is unique to each key. The read cache keeps a row with its owner's other values, because any
   * process may revoke a key. `isFresh` checks whether a cached row may be used.
   */
  const rowsBy = <Value extends string | Id>(
    conditionFor: (values: Value[]) => Filter<ApiKeyRow>,
    valueIn: (row: ApiKeyRow) => Value,
    isFresh: (row: ApiKeyRow) => boolean,
  ) => {
    const owners = new Map<Value, Id>();
    // Reads simultaneous requests' keys with one query.
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
    // Reads a key again once its last use must be updated.
    ({ lastUsedAt }) => Date.now() - (lastUsedAt?.getTime() ?? 0) < touchEveryMs,
  );
  const rowOfId = rowsBy<Id>(
    (keyIds) => ({ _id: { $in: keyIds } }),
    ({ _id }) => _id,
    () => true,
  );
  return {
    async findByHash(hash, notBefore) {
      return toHolder(await rowOfHash(hash, notBefore), notBefore);
    },
    async holderOf(id, notBefore) {
      return toHolder(await rowOfId(id, notBefore), notBefore);
    },
    // Skips recording the use if another transaction has locked the key, which a dead process may do for a minute.
    async touch(id, now) {
      const use = { $set: { lastUsedAt: now } };
      await apiKeys.updateOne({ _id: id }, use, { maxTimeMS: touchWithinMs }).catch((error) => {
        if (!isTimeLimit(error)) throw error;
      });
    },
  };
}

export function createSessions(
  { collections }: Context,
  { holderOf }: { holderOf(keyId: Id, notBefore?: number): Promise<KeyHolder | null> },
): DatedReads['sessions'] {
  const { sessions, users } = collections;
  const userOf = createKnownUsers(users);
  // Reads a session at each request, since any process may have ended it. Simultaneous requests share one query.
  const rowOf = createBatchLoader<string, SessionRow>(async (hashes) => {
    const rows = await sessions.find({ _id: { $in: hashes } }).toArray();
    return new Map(rows.map((row) => [row._id, row]));
  });
  const holder = async ({ userId, keyId }: SessionRow, notBefore?: number) => {
    if (keyId !== null) return holderOf(keyId, notBefore);
    const user = await userOf(userId);
    return user && { user };
  };
  return {
    async find(hash, now, notBefore) {
      const row = await rowOf(hash);
      if (row === null || row.expiresAt <= now) return null;
      const found = await holder(row, notBefore);
      return found && { holder: found, createdAt: row.createdAt, expiresAt: row.expiresAt };
    },
  };
}

/** Maximum cached users. The user that was read first is dropped first. */
const mostUsers = 10_000;

/** Returns users by id. These fields never change, so each user is read once. */
function createKnownUsers(users: Collection<UserRow>): (id: Id) => Promise<User | null> {
  const known = new Map<Id, User>();
  const read = createBatchLoader<Id, User>(async (ids) => {
    const rows = await users.find({ _id: { $in: ids } }).toArray();
    return new Map(rows.map(({ _id: id, email, createdAt }) => [id, { id, email, createdAt }]));
  });
  return async (id) => {
    const user = known.get(id) ?? (await read(id));
    if (user === null) return null;
    known.set(id, user);
    const [first] = known.keys();
    if (known.size > mostUsers && first !== undefined) known.delete(first);
    return user;
  };
}
