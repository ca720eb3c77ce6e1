import type { RowStore } from '#core/change.ts';
import { invalid, unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { ApiKey, ApiKeyStore, KeyHolder, KeyScope, User } from './access.ts';
import { addKey } from './key-changes.ts';
import { hashSecret, newSecret } from './secrets.ts';

type Ports = { rows: RowStore; clock: () => Date };

/** Number of initial characters of a key that are stored and shown, so its owner can tell keys apart. */
const prefixLength = 11;
/** Minimum time between two recordings of a key's last use. */
export const touchEveryMs = 60_000;

/**
 * Key to create. `createdBy` is its creator, or null. `managedBy` is the managing resource's `namespace/name`. `accountIds` limits the
 * key to reading these accounts' mail.
 */
export type NewKey = {
  name: string;
  scope?: KeyScope | undefined;
  accountIds?: Id[] | null;
  expiresAt?: Date | null;
  createdBy: User | null;
  managedBy?: string | null;
};

/**
 * Creates a key. Returns its value, which is not stored. `latest` is the expiration of the key that makes the call: a key cannot create
 * another key that outlives it. Throws Invalid.
 */
export async function createApiKey(
  ports: Ports,
  owner: Id,
  wanted: NewKey,
  latest: Date | null = null,
): Promise<{ key: ApiKey; value: string }> {
  const { expiresAt = null } = wanted;
  if (latest !== null && (expiresAt === null || expiresAt > latest)) {
    throw invalid(
      'expiresAt',
      `must be no later than ${latest.toISOString()}, when the key you are using expires`,
    );
  }
  if (expiresAt !== null && expiresAt <= ports.clock()) throw invalid('expiresAt', 'must be in the future');
  const value = `sp_${newSecret()}`;
  return { key: await keepApiKey(ports, owner, wanted, value), value };
}

/** Stores a key with a given value. Throws Invalid if the value is already in use. */
export async function keepApiKey(...key: Parameters<typeof offerApiKey>): Promise<ApiKey> {
  const kept = await offerApiKey(...key);
  if (kept === null) throw invalid('key', 'is already in use');
  return kept;
}

/**
 * Stores a key with a given value. Returns null if the value is already in use. Throws Invalid if the owner has too many keys, or if
 * `accountIds` contains accounts of other owners.
 */
export function offerApiKey(
  { rows, clock }: Ports,
  team: Id,
  wanted: NewKey,
  value: string,
): Promise<ApiKey | null> {
  const { accountIds = null, ...words } = wanted;
  const stored = {
    ...words,
    prefix: value.slice(0, prefixLength),
    hash: hashSecret(value),
    createdAt: clock(),
  };
  const by = {
    ...(wanted.createdBy !== null && { user: wanted.createdBy.id }),
    ...(accountIds !== null && { accountIds }),
  };
  return unlessTaken(
    rows.change(addKey, { team, ...by, stored, most: limits.owned.apiKeys, byMember: true }),
  );
}

/**
 * Finds a key. Returns null for a key that is unknown or has expired, or whose creator has left the team. Records the key's use at most
 * once a minute. `keys` looks up the key: if the call belongs to a request, it is the request's reader.
 */
export async function identifyByKey(
  { apiKeys, clock }: { apiKeys: Pick<ApiKeyStore, 'findByHash' | 'touch'>; clock: () => Date },
  value: string,
  keys: Pick<ApiKeyStore, 'findByHash'> = apiKeys,
): Promise<KeyHolder | null> {
  if (!/^sp_[A-Za-z0-9_-]{43}$/.test(value)) return null;
  const found = await keys.findByHash(hashSecret(value));
  const now = clock();
  if (found === null || isExpired(found.key, now)) return null;
  const last = found.key.lastUsedAt;
  if (last === null || now.getTime() - last.getTime() >= touchEveryMs) await apiKeys.touch(found.key.id, now);
  return found;
}

export function isExpired({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}
