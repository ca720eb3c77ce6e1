import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { isAbandoned } from '../abandoned.ts';
import type { ResourceReader } from '../reconcile.ts';
import type { DomainView } from './decide.ts';
import { type DomainResource, nameOf } from './resource.ts';

type Ports = Pick<Services, 'domains' | 'accounts' | 'config'>;

/** Reads the domain that the owner has under the resource's name, and counts its accounts. */
export async function gatherDomain(
  { domains, accounts, config: { mxHosts } }: Ports,
  resources: ResourceReader,
  resource: DomainResource,
  owner: Id | null,
): Promise<DomainView> {
  const name = nameOf(resource) ?? resource.spec.domain;
  const stored = owner === null ? null : await domains.findByName(owner, name);
  if (stored === null) return { resource, owner, stored, isAbandoned: false, accounts: 0, mxHosts };
  const { total } = await accounts.list(stored.owner, { domainId: stored.id }, { page: 1, limit: 1 });
  return {
    resource,
    owner,
    stored,
    isAbandoned: await isAbandoned(resources, resource, stored, (other) => nameOf(other) === name),
    accounts: total,
    mxHosts,
  };
}
