import { invalid, Taken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Quotas } from '#core/limits.ts';
import type { Domain, DomainStore } from './domain.ts';
import { isUnder, parseDomainName } from './domain-name.ts';
import { unverified, verifiedByHand } from './verdict.ts';

type Ports = { domains: DomainStore; quotas: Quotas; domainSuffixes: string[]; clock: () => Date };

/**
 * Registers a domain for its owner. Throws Invalid beyond the quota, and for a name that is malformed, lies outside the
 * suffixes (where there are any), or lies above or below a domain of another owner. Throws Taken for a name that is
 * registered already.
 */
export async function createDomain(
  { domains, quotas, domainSuffixes, clock }: Ports,
  owner: Id,
  input: { name: string; verified: boolean; active: boolean; managedBy: string | null },
): Promise<Domain> {
  const name = parseDomainName(input.name);
  if (name === null) {
    throw invalid('domain', 'must be a domain name of at least two labels, such as app.test');
  }
  if (domainSuffixes.length > 0 && !isUnder(name, domainSuffixes)) {
    throw invalid('domain', `must lie under ${domainSuffixes.join(' or ')}`);
  }
  const now = clock();
  const wanted = {
    name,
    active: input.active,
    verification: input.verified ? verifiedByHand() : unverified(now),
    managedBy: input.managedBy,
    createdAt: now,
  };
  const quota = { field: 'domain', limit: 'owned.domains', things: 'domains', most: quotas.domains } as const;
  const domain = await domains.insert(owner, wanted, quota);
  if (domain === 'overlaps') {
    throw invalid('domain', `${name} lies above or below a domain of another team`);
  }
  if (domain === null) throw new Taken([{ field: 'domain', message: `${name} is already registered` }]);
  return domain;
}
