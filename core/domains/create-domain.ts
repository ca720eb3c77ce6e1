import { isIP } from 'node:net';
import { defineChange, type Plan, type RowStore } from '#core/change.ts';
import { invalid, NotFound, requireRoom, Taken, unlessTaken } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Quotas } from '#core/quotas.ts';
import type { Domain, NewDomain } from './domain.ts';
import { parseDomainName } from './domain-name.ts';
import { requireAllowed, type SuffixPorts } from './suffixes.ts';
import { unverified, verifiedByHand } from './verdict.ts';

type Ports = SuffixPorts & { rows: RowStore; quotas: Quotas; clock: () => Date };

const domainQuota = { field: 'domain', limit: 'owned.domains', things: 'domains' } as const;

/**
 * Adds a domain by its name. Throws NotFound if the team does not exist, Invalid if the team already has `quota` domains or if another
 * team's domain lies above or below this one, and Duplicate if the name is already registered.
 */
export const addDomain = defineChange(
  'addDomain',
  ['newDomain', 'team', 'domains', 'related'],
  (
    { newDomain: id, team, domains, related },
    { domain: name, quota: most, ...given }: NewDomain & { team: Id; domain: string; quota?: number },
  ): Plan<Domain> => {
    if (team === null) throw new NotFound();
    requireRoom(domains, { ...domainQuota, most });
    if (related !== null)
      throw invalid('domain', `${name} is a parent or subdomain of another team's domain`);
    const { active, verification, managedBy, assumedClientIp = null, createdAt } = given;
    const times = { createdAt, updatedAt: createdAt };
    const domain = { id, owner: team.id, name, active, verification, managedBy, assumedClientIp, ...times };
    return { writes: [{ do: 'add-domain', domain }], result: domain };
  },
);

/**
 * Registers a domain for its owner. Throws Invalid if the owner's quota is used up, if the client address is invalid, or if the name is
 * malformed, outside the team's suffixes (if it has any), or above or below another owner's domain. Throws Taken if the name is already
 * registered.
 */
export async function createDomain(
  ports: Ports,
  team: Id,
  input: {
    name: string;
    verified: boolean;
    active: boolean;
    managedBy: string | null;
    assumedClientIp?: string | null;
  },
): Promise<Domain> {
  const name = parseDomainName(input.name);
  if (name === null) {
    throw invalid('domain', 'must be a domain name with at least two labels, such as app.test');
  }
  await requireAllowed(ports, team, name);
  const { rows, quotas, clock } = ports;
  const { active, verified, managedBy, assumedClientIp = null } = input;
  requireAddress(assumedClientIp);
  const createdAt = clock();
  const verification = verified ? verifiedByHand() : unverified(createdAt);
  const wanted = { domain: name, active, verification, managedBy, assumedClientIp, createdAt };
  const domain = await unlessTaken(rows.change(addDomain, { team, ...wanted, quota: quotas.domains }));
  if (domain === null) throw new Taken([{ field: 'domain', message: `${name} is already registered` }]);
  return domain;
}

/** Refuses a client address that is not an IP address, or that has a zone. Throws Invalid. */
export function requireAddress(assumedClientIp: string | null): void {
  if (assumedClientIp !== null && (isIP(assumedClientIp) === 0 || assumedClientIp.includes('%')))
    throw invalid('assumedClientIp', 'must be an IP address');
}
