import { hashSecret } from '#core/access/secrets.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { managerOf } from '../manager.ts';
import type { ApiKeyView, KeyInSecret } from './decide.ts';
import { type ApiKeyResource, secretNameOf } from './resource.ts';
import { keyEntry, type Secrets } from './secrets.ts';

type Ports = Pick<Services, 'apiKeys' | 'config' | 'clock'> & { secrets: Secrets };

/** Reads the resource's Secret, the keys that the store has for the resource, and the owner of the key in the Secret. */
export async function gatherApiKey(
  { apiKeys, secrets, config, clock }: Ports,
  resource: ApiKeyResource,
  owner: Id | null,
): Promise<ApiKeyView> {
  const manager = managerOf(resource.metadata);
  const secret = await secrets.read(resource, secretNameOf(resource));
  const managed = owner === null ? [] : await apiKeys.listManaged(owner);
  return {
    resource,
    owner,
    secret,
    storedKeys: managed.filter(({ managedBy }) => managedBy === manager),
    keyInSecret: await findKey(apiKeys, secret?.data[keyEntry], manager),
    addresses: config.clientAddresses,
    now: clock(),
  };
}

async function findKey(
  apiKeys: Ports['apiKeys'],
  value: string | undefined,
  manager: string,
): Promise<KeyInSecret> {
  if (value === undefined || !/^sp_[A-Za-z0-9_-]{43}$/.test(value)) return 'malformed';
  const found = await apiKeys.findByHash(hashSecret(value));
  if (found === null) return 'unknown';
  return found.key.managedBy === manager ? { id: found.key.id } : 'foreign';
}
