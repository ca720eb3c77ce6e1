import { invalid } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Domain, DomainStore } from './domain.ts';
import { parseDomainName } from './domain-name.ts';
import { unverified, verifiedByHand } from './verdict.ts';

/** Registers a domain for its owner. Throws Invalid for a name that is none or is taken, by anybody. */
export async function createDomain(
  { domains, clock }: { domains: DomainStore; clock: () => Date },
  owner: Id,
  input: { name: string; verified: boolean; active: boolean; managedBy: string | null },
): Promise<Domain> {
  const name = parseDomainName(input.name);
  if (name === null) {
    throw invalid('domain', 'must be a domain name of at least two labels, such as app.test');
  }
  const now = clock();
  const domain = await domains.insert(owner, {
    name,
    active: input.active,
    verification: input.verified ? verifiedByHand() : unverified(now),
    managedBy: input.managedBy,
    createdAt: now,
  });
  if (domain === null) throw invalid('domain', `${name} is already registered`);
  return domain;
}
