import { revokeApiKey } from '#core/access/api-keys.ts';
import { parseAddress } from '#core/accounts/address.ts';
import { deleteAccount } from '#core/accounts/change-account.ts';
import { deleteDomain } from '#core/domains/change-domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';
import type { ManagedKind } from '#core/managers/manager.ts';
import type { Services } from '#core/services.ts';
import type { Key, Kind, Resource } from './resources.ts';
import { emptyTenant, ignoreGone, type Tenant } from './tenants.ts';

/** Something in the store that a resource made; `name` is its own, null for a key, which has none. */
export type ManagedThing = {
  owner: Id;
  kind: ManagedKind;
  id: Id;
  name: string | null;
  /** The resource that manages it; null for a namespace's service user, which the namespace itself stands for. */
  key: Key | null;
  namespace: string;
  remove(): Promise<void>;
};

type Ports = Pick<Services, 'domains' | 'accounts' | 'apiKeys' | 'cascade' | 'clock'>;

/** All that resources of the given tenants' namespaces have made, whether or not they are there still. */
export async function listManagedThings(ports: Ports, tenants: Tenant[]): Promise<ManagedThing[]> {
  const owners = new Set(tenants.map(({ owner }) => owner));
  const [domains, accounts] = await Promise.all([ports.domains.listManaged(), ports.accounts.listManaged()]);
  const keys = [];
  for (const { owner } of tenants) {
    for (const { id, managedBy } of await ports.apiKeys.listManaged(owner)) {
      const remove = () => revokeApiKey(ports, owner, id, managedBy);
      keys.push(thing('ApiKey', 'api-key', { owner, id, managedBy }, null, remove));
    }
  }
  return [
    ...domains.map(({ owner, id, managedBy, name }) =>
      thing('Domain', 'domain', { owner, id, managedBy }, name, () =>
        deleteDomain(ports, owner, id, managedBy),
      ),
    ),
    ...accounts.map(({ owner, id, managedBy, address }) =>
      thing('Account', 'account', { owner, id, managedBy }, address, () =>
        deleteAccount(ports, owner, id, managedBy),
      ),
    ),
    ...keys,
  ].filter(({ owner }) => owners.has(owner));
}

/** Everything of a namespace, with what its people made through the API. */
export function wholeTenant(ports: Ports, { owner, namespace }: Tenant): ManagedThing {
  const remove = () => emptyTenant(ports, owner);
  return { owner, kind: 'user', id: owner, name: null, key: null, namespace, remove };
}

function thing(
  kind: Kind,
  managed: ManagedKind,
  { owner, id, managedBy }: { owner: Id; id: Id; managedBy: string | null },
  name: string | null,
  remove: () => Promise<void>,
): ManagedThing {
  const [namespace = '', resource = ''] = (managedBy ?? '').split('/');
  return {
    ...{ owner, kind: managed, id, name, namespace },
    key: { kind, namespace, name: resource },
    remove: () => remove().catch(ignoreGone),
  };
}

/** Whether a resource stands for a thing: it may have the name of another that was deleted, and stand for something else. */
export function standsFor(resource: Resource | null | undefined, { key, name }: ManagedThing): boolean {
  if (!resource || key === null || resource.kind !== key.kind) return false;
  const { metadata } = resource;
  return metadata.namespace === key.namespace && metadata.name === key.name && nameOf(resource) === name;
}

/** The name under which the store has what a resource stands for; null for a key. */
function nameOf(resource: Resource): string | null {
  if (resource.kind === 'Domain') return parseDomainName(resource.spec.domain);
  return resource.kind === 'Account' ? (parseAddress(resource.spec.address)?.address ?? null) : null;
}
