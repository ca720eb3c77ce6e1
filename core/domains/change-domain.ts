import { type ByManager, defineChange, type Plan, type RowStore } from '#core/change.ts';
import { NotFound, refuseForeignManager } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { requireAddress } from './create-domain.ts';
import type { Cascade, Domain, DomainChange } from './domain.ts';
import { unverified, verifiedByHand } from './verdict.ts';

type Ports = { rows: RowStore; clock: () => Date };

/** Changes a domain. Throws NotFound. Throws Invalid if somebody other than `manager` manages the domain. */
export const setDomain = defineChange(
  'setDomain',
  ['domain'],
  ({ domain }, { set, manager, now }: ByManager & { domain: Id; set: DomainChange }): Plan<Domain> => {
    if (domain === null) throw new NotFound();
    refuseForeignManager(domain.managedBy, manager, 'domain');
    const written = { ...set, updatedAt: now };
    return {
      writes: [{ do: 'set-domain', domain: domain.id, set: written }],
      result: { ...domain, ...written },
    };
  },
);

/** Deletes a domain. Throws NotFound. Throws Invalid if somebody other than `manager` manages the domain. */
export const removeDomain = defineChange(
  'removeDomain',
  ['domain'],
  ({ domain }, { manager, now }: ByManager & { domain: Id }): Plan<Domain> => {
    if (domain === null) throw new NotFound();
    refuseForeignManager(domain.managedBy, manager, 'domain');
    return { writes: [{ do: 'delete-domain', domain: domain.id, now }], result: domain };
  },
);

/**
 * Enables or disables a domain, vouches for it (`verified` true), or lets MX checks decide again (false). `manager` is the Kubernetes
 * resource that has managed the domain so far, or null for the API; `managedBy` replaces it. Throws NotFound. Throws Invalid if somebody
 * else manages the domain or if the client address is invalid.
 */
export async function changeDomain(
  { rows, clock }: Ports,
  team: Id,
  domain: Id,
  {
    verified,
    ...rest
  }: Omit<DomainChange, 'verification' | 'managedBy'> & {
    verified?: boolean;
    managedBy?: string;
  },
  manager: string | null = null,
): Promise<Domain> {
  requireAddress(rest.assumedClientIp ?? null);
  const now = clock();
  const set =
    verified === undefined ? rest : { ...rest, verification: verified ? verifiedByHand() : unverified(now) };
  return rows.change(setDomain, { team, domain, set, manager, now });
}

/** Deletes a domain with its accounts, mailboxes and messages. Throws NotFound. Throws Invalid if somebody else manages the domain. */
export async function deleteDomain(
  { rows, cascade, clock }: Ports & { cascade: Cascade },
  team: Id,
  id: Id,
  manager: string | null = null,
): Promise<Domain> {
  const domain = await rows.change(removeDomain, { team, domain: id, manager, now: clock() });
  cascade.begin();
  return domain;
}
