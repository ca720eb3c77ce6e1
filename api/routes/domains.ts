import { audit } from '#api/context.ts';
import { route } from '#api/route.ts';
import {
  domainCreation,
  domainList,
  domainMove,
  domainQuery,
  domainShape,
  domainUpdate,
  normalName,
} from '#api/shapes/domain.ts';
import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import { moveDomain } from '#core/domains/move-domain.ts';
import { collection } from './collection.ts';

export const domainRoutes = collection({
  noun: ['Domain', 'Domains'],
  path: '/api/domains',
  id: 'domain_id',
  success: { description: 'The domain', shape: domainShape },
  list: {
    summary: 'List your domains, the oldest first',
    query: domainQuery,
    success: { description: 'A page of domains', shape: domainList },
    run({ services, caller, query: { page, limit, name, ...filter } }) {
      const wanted = name === undefined ? filter : { ...filter, name: normalName(name) };
      return services.domains.list(caller.team, wanted, { page, limit });
    },
  },
  create: {
    summary: 'Register a domain',
    body: domainCreation,
    run: ({ services, caller, body: { verified = false, active = true, ...given } }) =>
      createDomain(services, caller.team, { ...given, verified, active, managedBy: null }),
  },
  get: {
    summary: 'Read a domain',
    run: ({ services, caller, ids }) => services.domains.find(caller.team, ids.domain_id),
  },
  update: {
    summary: 'Switch a domain on or off, or vouch for it',
    body: domainUpdate,
    run: ({ services, caller, ids, body }) => changeDomain(services, caller.team, ids.domain_id, body),
  },
  more: [
    route({
      method: 'post',
      path: '/api/domains/{domain_id}/move',
      operationId: 'moveDomain',
      summary: 'Move a domain with its accounts and mail to another team that you own',
      description:
        'Ids stay. With much mail it takes a while, in which neither team sees the domain and its mail is deferred. After 20 s the answer comes before the end.',
      permission: 'manage',
      body: domainMove,
      success: { description: 'The domain in its new team', shape: domainShape },
      async handle(call) {
        const { services, caller, ids, body, signal } = call;
        const mover = { team: caller.team, user: caller.user?.id ?? null };
        const domain = await moveDomain(services, mover, ids.domain_id, body.to, signal);
        await audit(call, 'domain.moved', domain.name, [caller.team, body.to]);
        return domain;
      },
    }),
  ],
  delete: {
    summary: 'Delete a domain with its accounts, mailboxes and messages',
    run: ({ services, caller, ids }) => deleteDomain(services, caller.team, ids.domain_id),
    audit: ({ name }) => ['domain.deleted', name],
  },
});
