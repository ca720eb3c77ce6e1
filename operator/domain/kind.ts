import { deleteDomain } from '#core/domains/change-domain.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { ignoreNotFound } from '../failures.ts';
import { defineKind, type Kind } from '../kind.ts';
import { type NotePorts, noted } from '../notes.ts';
import { actOnDomain } from './act.ts';
import { type DomainEffect, type DomainView, decideDomain, domainRefused } from './decide.ts';
import { gatherDomain } from './gather.ts';
import { type DomainResource, nameOf } from './resource.ts';

type Ports = NotePorts &
  Pick<Services, 'domains' | 'accounts' | 'cascade' | 'quotas' | 'domainSuffixes' | 'config'>;

/** Delay after which a verdict of the MX checks shows in the status at the latest. */
const pollMs = 3_000;
const page = { page: 1, limit: 200 };

export function createDomainKind(ports: Ports): Kind {
  const { domains } = ports;
  const remove = (owner: Id, id: Id, managedBy: string | null) =>
    noted(ports, owner, 'domain.deleted', deleteDomain(ports, owner, id, managedBy), ({ name }) => name);
  return defineKind<DomainResource, DomainView, DomainEffect>({
    name: 'Domain',
    plural: 'domains',
    managedKind: 'domain',
    nameOf,
    domainOf: ({ spec }) => spec.domain,
    reconciler: {
      gather: (resource, owner, resources) => gatherDomain(ports, resources, resource, owner),
      decide: decideDomain,
      act: (effect, view) => actOnDomain(ports, effect, view),
      refused: domainRefused,
    },
    objects: {
      list: async (owners) => (await domains.listManaged()).filter(({ owner }) => owners.has(owner)),
      remove: ({ owner, id, managedBy }) => remove(owner, id, managedBy),
      async removeAll(owner) {
        for (;;) {
          const { items } = await domains.list(owner, {}, page);
          if (items.length === 0) return;
          for (const { id, managedBy } of items) {
            await remove(owner, id, managedBy).catch(ignoreNotFound);
          }
        }
      },
      poll: {
        everyMs: pollMs,
        async fingerprints() {
          return (await domains.listManaged()).map((domain) => ({
            managedBy: domain.managedBy,
            state: stateOf(domain),
          }));
        },
      },
    },
  });
}

function stateOf({ id, active, verification }: Domain): string {
  const { status, source, detail, refusals, checkedAt } = verification;
  return JSON.stringify([id, active, status, source, detail, refusals, checkedAt]);
}
