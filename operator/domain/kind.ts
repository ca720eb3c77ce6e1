import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { isAbandoned } from '../manager.ts';
import { actOnNamed, audited, removeEach } from '../objects.ts';
import type { ResourceReader, View } from '../reconcile.ts';
import { policyOf, setPolicy } from '../retention.ts';
import {
  type DomainEffect,
  type DomainResource,
  type DomainView,
  decideDomain,
  domainRefused,
  nameOf,
  valuesOf,
} from './decide.ts';

export function createDomainKind(services: Services): Kind {
  const { rows, domains, managers } = services;
  const remove = (owner: Id, id: Id, managedBy: string | null) =>
    audited(
      services,
      owner,
      'domain.deleted',
      deleteDomain(services, owner, id, managedBy),
      (one) => one.name,
    );
  return defineKind<DomainResource, DomainView, DomainEffect>({
    name: 'Domain',
    plural: 'domains',
    nameOf,
    domainOf: ({ spec }) => spec.domain,
    reconciler: {
      identity: ['domain'],
      gather: (known, resources) => gather(services, known, resources),
      decide: decideDomain,
      act: (effect, view) => {
        const { owner, resource } = view;
        return actOnNamed(effect, resource, {
          create: (managedBy) =>
            createDomain(services, owner, {
              name: resource.spec.domain,
              managedBy,
              ...valuesOf(view).values,
            }),
          change: (id, change, manager) => changeDomain(services, owner, id, change, manager),
          remove: (id, manager) => remove(owner, id, manager),
          setPolicy: (id, policy) => setPolicy(managers, { owner, kind: 'domain', id }, policy),
        });
      },
      refused: domainRefused,
    },
    objects: [
      {
        kind: 'domain',
        list: async (owners) =>
          (await rows.read('managedDomains', {})).filter(({ owner }) => owners.has(owner)),
        remove: ({ owner, id, managedBy }) => remove(owner, id, managedBy),
        removeAll: (owner, isKept) =>
          removeEach(
            (page) => domains.list(owner, {}, page),
            isKept,
            ({ id, managedBy }) => remove(owner, id, managedBy),
          ),
        fingerprints: async () => (await rows.read('managedDomains', {})).map(fingerprintOf),
      },
    ],
  });
}

/** Reads the domain that the owner has under the resource's name, and counts its accounts. */
async function gather(
  { rows, accounts, config: { mxHosts } }: Services,
  known: View<DomainResource>,
  resources: ResourceReader,
): Promise<DomainView> {
  const { resource, owner } = known;
  const name = nameOf(resource) ?? resource.spec.domain;
  const stored = owner === null ? null : await rows.read('domain', { team: owner, domain: name });
  if (stored === null)
    return { ...known, stored, isAbandoned: false, policy: 'Delete', accounts: 0, mxHosts };
  const policy = await policyOf(rows, { ...stored, kind: 'domain' });
  const { total } = await accounts.list(stored.owner, { domainId: stored.id }, { page: 1, limit: 1 });
  const abandoned = await isAbandoned(resources, resource, stored, (other) => nameOf(other) === name);
  return { ...known, stored, isAbandoned: abandoned, policy, accounts: total, mxHosts };
}

function fingerprintOf({ id, active, verification, managedBy }: Domain) {
  const { status, source, detail, refusals, checkedAt } = verification;
  return { managedBy, state: JSON.stringify([id, active, status, source, detail, refusals, checkedAt]) };
}
