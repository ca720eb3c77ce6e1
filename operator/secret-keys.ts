import type { ApiKeyStore } from '#core/access/access.ts';
import { revokeKey } from '#core/access/key-changes.ts';
import { hashSecret } from '#core/access/secrets.ts';
import type { RowReader } from '#core/change.ts';
import type { Id } from '#core/ids.ts';
import type { Config } from '#setup/config.ts';
import type { Services } from '#setup/services.ts';
import type { StoredObject } from './kind.ts';
import { audited } from './objects.ts';
import { type Finding, stalled } from './runtime/conditions.ts';
import type { ResourceOf } from './runtime/resource.ts';
import { keyEntry } from './secrets.ts';

/** Stored key whose value the Secret has: this resource's, another's, or none. `malformed`: the value is not a key. */
export type KeyInSecret = { id: number } | 'foreign' | 'unknown' | 'malformed';

/** Name of the resource's Secret. */
export function secretNameOf({
  spec,
  metadata,
}: ResourceOf<string, { secretName?: string }, unknown>): string {
  return spec.secretName ?? metadata.name;
}

/** Findings of a resource whose Secret somebody else has created. */
export function secretExists(resource: Parameters<typeof secretNameOf>[0]): Finding[] {
  const { kind } = resource;
  const message = `the Secret ${secretNameOf(resource)} already exists and does not belong to this ${kind}: delete the Secret, or create an ${kind} with another secretName`;
  return stalled('SecretExists', message);
}

/** User name beside an API key as the password. The SMTP listener takes any. */
export const userName = 'apikey';

/** Returns the entries that each Secret has, for `envFrom` and by the Service Binding Specification. */
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
    // User name and key consist of characters that a URI may have.
    uri: `smtp://${userName}:${key}@${host}:${port}`,
  };
}

/** Finds the stored key whose value a Secret has. */
export async function findKey(
  apiKeys: Pick<ApiKeyStore, 'findByHash'>,
  value: string | undefined,
  manager: string,
): Promise<KeyInSecret> {
  if (value === undefined || !/^sp_[A-Za-z0-9_-]{43}$/.test(value)) return 'malformed';
  const found = await apiKeys.findByHash(hashSecret(value));
  if (found === null) return 'unknown';
  return found.key.managedBy === manager ? { id: found.key.id } : 'foreign';
}

/** Lists the keys that resources of some teams manage. */
export async function managedKeys(rows: RowReader, owners: ReadonlySet<Id>): Promise<StoredObject[]> {
  const lists: StoredObject[][] = [];
  for (const owner of owners) lists.push(await rows.read('managedKeys', { team: owner }));
  return lists.flat();
}

/** Revokes a key, and records it in the audit log. */
export function revoke(
  ports: Pick<Services, 'rows' | 'auditLog' | 'log' | 'clock'>,
  team: Id,
  key: Id,
  manager: string | null,
): Promise<void> {
  const revocation = ports.rows.change(revokeKey, { team, key, manager });
  return audited(ports, team, 'api_key.revoked', revocation, ({ name }) => name);
}
