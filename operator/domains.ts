import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import type { Services } from '#core/services.ts';
import { type DomainEffect, type DomainView, decideDomain, domainRefused } from './decide-domain.ts';
import type { Reconciler } from './reconcile.ts';
import { type DomainResource, managerOf } from './resources.ts';
import { ignoreGone, type Tenants } from './tenants.ts';

type Ports = Pick<Services, 'domains' | 'accounts' | 'cascade' | 'clock' | 'quotas' | 'domainSuffixes'> & {
  tenants: Tenants;
  mxHosts: string[];
  /** Others may now have this name, and accounts on it, or have them no more. */
  onDomain(name: string): void;
};

/** Makes the store's domains what Domains want, by the use-cases that the API has. */
export function createDomainReconciler(ports: Ports): Reconciler<DomainResource, DomainView, DomainEffect> {
  return {
    async gather(resource) {
      const owner = await ports.tenants.find(resource.metadata.namespace);
      const name = parseDomainName(resource.spec.domain) ?? resource.spec.domain;
      const stored = owner === null ? null : await ports.domains.findByName(owner, name);
      const { mxHosts } = ports;
      if (stored === null) return { resource, stored, accounts: 0, mxHosts };
      const one = { page: 1, limit: 1 };
      const { total } = await ports.accounts.list(stored.owner, { domainId: stored.id }, one);
      return { resource, stored, accounts: total, mxHosts };
    },
    decide: decideDomain,
    async act(effect, { resource: { metadata, spec } }) {
      const manager = managerOf(metadata);
      const owner = await ports.tenants.ensure(metadata.namespace);
      if (effect.do === 'create') {
        const verified = spec.mxVerified === true;
        const wanted = { name: spec.domain, verified, active: spec.active, managedBy: manager };
        await createDomain(ports, owner, wanted);
      } else if (effect.do === 'change') {
        await changeDomain(ports, owner, effect.id, effect.change, manager);
      } else {
        await deleteDomain(ports, owner, effect.id, manager).catch(ignoreGone);
      }
      ports.onDomain(spec.domain);
    },
    refused: domainRefused,
  };
}
