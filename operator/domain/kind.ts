import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { defineKind, type Kind } from '../kind.ts';
import { actOnNamed, audited, stateOf } from '../objects.ts';
import type { ResourceReader, View } from '../reconcile.ts';
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
  const { rows } = services;
  const remove = (owner: Id, id: Id, managedBy: string | null) => {
    const deletion = deleteDomain(services, owner, id, managedBy);
    return audited(services, owner, 'domain.deleted', deletion, ({ name }) => name);
  };
  return defineKind<DomainResource, DomainView, DomainEffect>({
    name: 'Domain',
    plural: 'domains',
    nameOf,
    domainOf: ({ spec }) => spec.domain,
    reconciler: {
      identity: ['domain'],
      gather: (known, resources) => gather(services, known, resources),
      decide: decideDomain,
      act(effect, view) {
        const { owner, resource } = view;
        const given = { name: resource.spec.domain, ...valuesOf(view).values };
        return actOnNamed(services, 'domain', effect, view, {
          create: (managedBy) => createDomain(services, owner, { ...given, managedBy }),
          change: (id, change, manager) => changeDomain(services, owner, id, change, manager),
          remove: (id, manager) => remove(owner, id, manager),
        });
      },
      refused: domainRefused,
    },
    objects: [
      {
        kind: 'domain',
        list: async () =>
          (await rows.read('managedDomains', {})).map((domain) => ({
            ...domain,
            stateOf: () => shownOf(domain),
          })),
        remove: ({ owner, id, managedBy }) => remove(owner, id, managedBy),
        listAll: (owner, page) => rows.list('domains', { team: owner }, page),
        isPolled: true,
      },
    ],
  });
}

/** Reads the owner's domain with the resource's name, and counts its accounts. */
async function gather(
  services: Services,
  known: View<DomainResource>,
  resources: ResourceReader,
): Promise<DomainView> {
  const { rows, accounts, config } = services;
  const { resource, owner } = known;
  const name = nameOf(resource) ?? resource.spec.domain;
  const found = owner === null ? null : await rows.read('domain', { team: owner, domain: name });
  const state = await stateOf(services, resources, resource, 'domain', found, nameOf);
  const filter = { domainId: found?.id ?? 0 };
  const total = found === null ? 0 : (await accounts.list(found.owner, filter, { page: 1, limit: 1 })).total;
  return { ...known, ...state, accounts: total, mxHosts: config.mxHosts };
}

function shownOf({ id, active, verification }: Domain) {
  const { status, source, detail, refusals, checkedAt } = verification;
  return [id, active, status, source, detail, refusals, checkedAt];
}
