import type { ApiKey, ApiKeyStore } from '#core/access/access.ts';
import { keepApiKey, type NewKey } from '#core/access/api-keys.ts';
import { revokeKey } from '#core/access/key-changes.ts';
import { hashSecret } from '#core/access/secrets.ts';
import type { Id } from '#core/ids.ts';
import type { Config } from '#setup/config.ts';
import type { Services } from '#setup/services.ts';
import type { Objects } from './kind.ts';
import { kindOfManager } from './manager.ts';
import { audited } from './objects.ts';
import type { View } from './reconcile.ts';
import type { RepairBackoff } from './repair-backoff.ts';
import { type Finding, stalled } from './runtime/conditions.ts';
import { keyOf, type ResourceOf } from './runtime/resource.ts';
import { keyEntry, type Secrets, type SecretView } from './secrets.ts';

/** Stored key whose value is in the Secret: this resource's key, another's, or none. `malformed`: the value is not a key. */
type KeyInSecret = { id: number } | 'foreign' | 'unknown' | 'malformed';

/** Name of the resource's Secret. */
export function secretNameOf({
  spec,
  metadata,
}: ResourceOf<string, { secretName?: string }, unknown>): string {
  return spec.secretName ?? metadata.name;
}

/** Returns the findings of a resource whose Secret somebody else created. */
export function secretExists(resource: Parameters<typeof secretNameOf>[0]): Finding[] {
  const { kind } = resource;
  const message = `the Secret ${secretNameOf(resource)} already exists and does not belong to this ${kind}: delete the Secret, or create an ${kind} with another secretName`;
  return stalled('SecretExists', message);
}

/** User name for sign-ins that use an API key as the password. The SMTP listener accepts any user name. */
export const userName = 'apikey';

/** Returns the entries that every Secret has, for `envFrom` and in the format of the Service Binding Specification. */
export function standardEntries(addresses: Config['clientAddresses'], key: string): Record<string, string> {
  const { SANDPOST_SMTP_HOST: host, SANDPOST_SMTP_PORT: port } = addresses;
  return {
    ...addresses,
    [keyEntry]: key,
    SANDPOST_SMTP_USERNAME: userName,
    SANDPOST_SMTP_PASSWORD: key,
    type: 'smtp',
    provider: 'sandpost',
    ...{ host, port, username: userName, password: key },
    // The user name and the key contain only characters that are allowed in a URI.
    uri: `smtp://${userName}:${key}@${host}:${port}`,
  };
}

/** State of a resource that puts a key into a Secret. */
export type KeyState = {
  secret: SecretView | null;
  /** Keys of the resource in the store. */
  storedKeys: ApiKey[];
  keyInSecret: KeyInSecret;
  addresses: Config['clientAddresses'];
  pace: RepairBackoff;
};

/** Reads a resource's Secret, the resource's keys in the store, and the owner of the key in the Secret. */
export async function keyStateOf(
  { rows, apiKeys, secrets, config }: Pick<Services, 'rows' | 'apiKeys' | 'config'> & { secrets: Secrets },
  { resource, owner }: View<Parameters<typeof secretNameOf>[0]>,
  manager: string,
): Promise<KeyState> {
  const secret = await secrets.read(resource, secretNameOf(resource));
  return {
    secret,
    storedKeys: owner === null ? [] : await rows.read('managedKeys', { team: owner, manager }),
    keyInSecret: await findKey(apiKeys, secret?.data[keyEntry], manager),
    addresses: config.clientAddresses,
    pace: secrets.backoffOf(keyOf(resource)),
  };
}

/** Finds the stored key whose value is in a Secret. */
async function findKey(
  apiKeys: Pick<ApiKeyStore, 'findByHash'>,
  value: string | undefined,
  manager: string,
): Promise<KeyInSecret> {
  if (value === undefined || !/^sp_[A-Za-z0-9_-]{43}$/.test(value)) return 'malformed';
  const found = await apiKeys.findByHash(hashSecret(value));
  if (found === null) return 'unknown';
  return found.key.managedBy === manager ? { id: found.key.id } : 'foreign';
}

type Ports = Pick<Services, 'rows' | 'auditLog' | 'log' | 'clock'>;

/** Objects of a kind whose resources each have a key. For kinds other than ApiKey, the key is found by the resource's name. */
export function keyObjects(services: Ports, kind: string): Objects {
  return {
    kind: 'api-key',
    async list(owners) {
      const lists: ApiKey[][] = [];
      for (const owner of owners) lists.push(await services.rows.read('managedKeys', { team: owner }));
      const own = lists.flat().filter(({ managedBy }) => (kindOfManager(managedBy) ?? 'ApiKey') === kind);
      return kind === 'ApiKey' ? own.map((key) => ({ ...key, name: null })) : own;
    },
    remove: ({ owner, id, managedBy }) => revoke(services, owner, id, managedBy),
    listAll: (owner, page) => services.rows.list('apiKeys', { team: owner }, page),
    isPolled: false,
  };
}

/** Stores the key from a Secret, and records this in the audit log. */
export async function storeKey(ports: Ports, team: Id, wanted: NewKey, secret: SecretView | null) {
  const value = secret?.data[keyEntry];
  if (value === undefined) return;
  const key = keepApiKey(ports, team, wanted, value);
  await audited(ports, team, 'api_key.created', key, ({ name }) => name);
}

/** Revokes a key, and records this in the audit log. */
export function revoke(ports: Ports, team: Id, key: Id, manager: string | null): Promise<void> {
  const revocation = ports.rows.change(revokeKey, { team, key, manager });
  return audited(ports, team, 'api_key.revoked', revocation, ({ name }) => name);
}
