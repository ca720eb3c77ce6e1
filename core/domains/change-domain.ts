import { NotFound, refuseForeignManager } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Cascade, Domain, DomainStore } from './domain.ts';
import { unverified, verifiedByHand } from './verdict.ts';

/**
 * Switches a domain on or off, vouches for it (`verified` true) or leaves the verdict to the MX checks again (false).
 * `manager` is the Kubernetes resource that manages it so far, or null for the API; `managedBy` puts another in its place.
 * Throws NotFound, and Invalid where another manages it.
 */
export async function changeDomain(
  { domains, clock }: { domains: DomainStore; clock: () => Date },
  owner: Id,
  id: Id,
  change: { active?: boolean; verified?: boolean; managedBy?: string },
  manager: string | null = null,
): Promise<Domain> {
  const now = clock();
  await managedDomain(domains, owner, id, manager);
  const { active, verified, managedBy } = change;
  const domain = await domains.update(
    owner,
    id,
    {
      ...(active === undefined ? {} : { active }),
      ...(managedBy === undefined ? {} : { managedBy }),
      ...(verified === undefined ? {} : { verification: verified ? verifiedByHand() : unverified(now) }),
    },
    now,
  );
  if (domain === null) throw new NotFound();
  return domain;
}

/** Deletes a domain with its accounts, mailboxes and messages. Throws NotFound, and Invalid where another manages it. */
export async function deleteDomain(
  { domains, cascade, clock }: { domains: DomainStore; cascade: Cascade; clock: () => Date },
  owner: Id,
  id: Id,
  manager: string | null = null,
): Promise<Domain> {
  const domain = await managedDomain(domains, owner, id, manager);
  if (!(await domains.softDelete(owner, id, clock()))) throw new NotFound();
  cascade.begin();
  return domain;
}

async function managedDomain(
  domains: DomainStore,
  owner: Id,
  id: Id,
  manager: string | null,
): Promise<Domain> {
  const domain = await domains.find(owner, id);
  if (domain === null) throw new NotFound();
  refuseForeignManager(domain.managedBy, manager, 'domain');
  return domain;
}
