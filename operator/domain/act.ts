import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import type { Id } from '#core/ids.ts';
import type { Services } from '#setup/services.ts';
import { ignoreNotFound } from '../failures.ts';
import { managerOf } from '../manager.ts';
import { type NotePorts, noted } from '../notes.ts';
import type { DomainEffect, DomainView } from './decide.ts';

type Ports = NotePorts & Pick<Services, 'domains' | 'cascade' | 'quotas' | 'domainSuffixes'>;

/** Creates, changes or deletes the domain by the use-cases of the API. */
export async function actOnDomain(
  ports: Ports,
  effect: DomainEffect,
  { owner, resource: { metadata, spec } }: DomainView & { owner: Id },
): Promise<void> {
  const managedBy = managerOf(metadata);
  if (effect.do === 'create') {
    const verified = spec.mxVerified === true;
    await createDomain(ports, owner, { name: spec.domain, verified, active: spec.active, managedBy });
  } else if (effect.do === 'change') {
    await changeDomain(ports, owner, effect.id, effect.change, managedBy);
  } else if (effect.do === 'adopt') {
    await changeDomain(ports, owner, effect.id, { managedBy }, effect.from);
  } else {
    const deletion = deleteDomain(ports, owner, effect.id, managedBy);
    await noted(ports, owner, 'domain.deleted', deletion, ({ name }) => name).catch(ignoreNotFound);
  }
}
