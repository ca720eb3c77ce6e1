import { revokeApiKey } from '#core/access/api-keys.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { deleteAccount } from '#core/accounts/change-account.ts';
import { deleteDomain } from '#core/domains/change-domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Services } from '#core/services.ts';
import type { Informers } from './informers.ts';
import type { ResourceApi } from './resource-api.ts';
import type { Kind, Resource } from './resources.ts';
import { emptyTenant, ignoreGone, listTenants } from './tenants.ts';

type Ports = Pick<Services, 'domains' | 'accounts' | 'apiKeys' | 'archive' | 'cascade' | 'clock'> & {
  api: Pick<ResourceApi, 'read'>;
  informers: Pick<Informers, 'covers' | 'get' | 'all'>;
  /** Whether a namespace is gone for good; false where we may not ask. */
  isGone(namespace: string): Promise<boolean>;
  isLeading(): boolean;
  onRemoved: (what: string) => void;
};

/**
 * Removes what resources made that are there no more: they were deleted while no operator held them back (one that was
 * uninstalled takes its finalizers along), or their namespace was, after its last resource.
 */
export async function removeOrphans(ports: Ports): Promise<void> {
  for (const { owner, id, name, managedBy } of await ports.domains.listManaged()) {
    await unlessWanted(ports, 'Domain', managedBy, name, (manager) =>
      deleteDomain(ports, owner, id, manager),
    );
  }
  for (const { owner, id, address, managedBy } of await ports.accounts.listManaged()) {
    await unlessWanted(ports, 'Account', managedBy, address, (manager) =>
      deleteAccount(ports, owner, id, manager),
    );
  }
  const inUse = new Set(ports.informers.all().map(({ metadata }) => metadata.namespace));
  for (const { namespace, owner } of await listTenants(ports)) {
    if (!ports.informers.covers(namespace)) continue;
    for (const { id, managedBy } of await ports.apiKeys.listManaged(owner)) {
      await unlessWanted(ports, 'ApiKey', managedBy, null, (manager) =>
        revokeApiKey(ports, owner, id, manager),
      );
    }
    if (!inUse.has(namespace) && (await ports.isGone(namespace)) && ports.isLeading()) {
      await emptyTenant(ports, owner);
    }
  }
}

/** Removes a thing, unless there is a resource that stands for it: in our copy, or, to be sure, in the API server. */
async function unlessWanted(
  { api, informers, isLeading, onRemoved }: Ports,
  kind: Kind,
  manager: string | null,
  name: string | null,
  remove: (manager: string) => Promise<void>,
): Promise<void> {
  const [namespace = '', resourceName = ''] = (manager ?? '').split('/');
  if (manager === null || !informers.covers(namespace)) return;
  const key = { kind, namespace, name: resourceName };
  const wants = (resource: Resource | null | undefined) => resource && nameOf(resource) === name;
  if (wants(informers.get(key)) || wants(await api.read(key)) || !isLeading()) return;
  await remove(manager).catch(ignoreGone);
  onRemoved(`${kind} ${manager}`);
}

/** What the store calls the thing that a resource stands for; null for a key, which has no name of its own. */
function nameOf(resource: Resource): string | null {
  if (resource.kind === 'Domain') return parseDomainName(resource.spec.domain);
  return resource.kind === 'Account' ? (parseAddress(resource.spec.address)?.address ?? null) : null;
}
