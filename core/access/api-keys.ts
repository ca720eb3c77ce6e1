import { invalid, NotFound, refuseForeignManager, withinQuota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { ApiKey, ApiKeyStore, User } from './access.ts';
import { hashSecret, newSecret } from './secrets.ts';

type Ports = { apiKeys: ApiKeyStore; clock: () => Date };

/** Number of characters of a key that are stored and shown, so that its owner can tell keys apart. */
const prefixLength = 11;
/** Shortest time between two writes of a key's last use. */
export const touchEveryMs = 60_000;

/** Creates a key. Its value is returned and stored nowhere. */
export async function createApiKey(
  ports: Ports,
  owner: Id,
  name: string,
): Promise<{ key: ApiKey; value: string }> {
  const value = `sp_${newSecret()}`;
  return { key: await keepApiKey(ports, owner, name, value), value };
}

/** Stores a key with a given value. Throws Invalid where the value is in use. */
export async function keepApiKey(...key: Parameters<typeof offerApiKey>): Promise<ApiKey> {
  const kept = await offerApiKey(...key);
  if (kept === null) throw invalid('key', 'is already in use');
  return kept;
}

/**
 * Stores a key with a given value. Returns null where the value is in use. Throws Invalid where the owner has too many keys.
 */
export function offerApiKey(
  { apiKeys, clock }: Ports,
  owner: Id,
  name: string,
  value: string,
  managedBy: string | null = null,
): Promise<ApiKey | null> {
  const key = {
    name,
    prefix: value.slice(0, prefixLength),
    hash: hashSecret(value),
    managedBy,
    createdAt: clock(),
  };
  const most = limits.owned.apiKeys;
  const quota = { limit: 'owned.apiKeys', most, things: 'API keys' } as const;
  return withinQuota(apiKeys.insert(owner, key, most), 'name', quota);
}

/** Revokes a key. `manager` is the Kubernetes resource that requests it, or null for the API. Throws NotFound, Invalid. */
export async function revokeApiKey(
  { apiKeys }: Ports,
  owner: Id,
  id: Id,
  manager: string | null = null,
): Promise<void> {
  const key = await apiKeys.find(owner, id);
  if (key === null) throw new NotFound();
  refuseForeignManager(key.managedBy, manager, 'token');
  if (!(await apiKeys.remove(owner, id))) throw new NotFound();
}

/**
 * Finds a key and its user. Returns null for an unknown key. Notes the use of a key at most once a minute. `keys` finds
 * the key: the reader of a request, where the call belongs to one.
 */
export async function identifyByKey(
  { apiKeys, clock }: { apiKeys: Pick<ApiKeyStore, 'findByHash' | 'touch'>; clock: () => Date },
  value: string,
  keys: Pick<ApiKeyStore, 'findByHash'> = apiKeys,
): Promise<{ user: User; key: ApiKey } | null> {
  if (!/^sp_[A-Za-z0-9_-]{43}$/.test(value)) return null;
  const found = await keys.findByHash(hashSecret(value));
  if (found === null) return null;
  const now = clock();
  const last = found.key.lastUsedAt;
  if (last === null || now.getTime() - last.getTime() >= touchEveryMs) await apiKeys.touch(found.key.id, now);
  return found;
}
