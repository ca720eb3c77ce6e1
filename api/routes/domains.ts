import { audit, found } from '#api/context.ts';
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
import { deletion } from '#api/shapes/response-shape.ts';
import { changeDomain, deleteDomain } from '#core/domains/change-domain.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import { moveDomain } from '#core/domains/move-domain.ts';

const success = { description: 'The domain', shape: domainShape };

export const domainRoutes = [
  route({
    method: 'get',
    path: '/api/domains',
    operationId: 'listDomains',
    summary: 'List your domains, the oldest first',
    query: domainQuery,
    success: { description: 'A page of domains', shape: domainList },
    async handle({ services, caller, query: { page, limit, name, ...filter } }) {
      const wanted = name === undefined ? filter : { ...filter, name: normalName(name) };
      return services.domains.list(caller.team, wanted, { page, limit });
    },
  }),
  route({
    method: 'post',
    path: '/api/domains',
    operationId: 'createDomain',
    summary: 'Register a domain',
    body: domainCreation,
    success,
    handle: ({ services, caller, body: { verified = false, active = true, ...given } }) =>
      createDomain(services, caller.team, { ...given, verified, active, managedBy: null }),
  }),
  route({
    method: 'get',
    path: '/api/domains/{domain_id}',
    operationId: 'getDomain',
    summary: 'Read a domain',
    success,
    handle: async ({ services, caller, ids }) =>
      found(await services.domains.find(caller.team, ids.domain_id)),
  }),
  route({
    method: 'patch',
    path: '/api/domains/{domain_id}',
    operationId: 'updateDomain',
    summary: 'Switch a domain on or off, or vouch for it',
    body: domainUpdate,
    success,
    handle: ({ services, caller, ids, body }) => changeDomain(services, caller.team, ids.domain_id, body),
  }),
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
  route({
    method: 'delete',
    path: '/api/domains/{domain_id}',
    operationId: 'deleteDomain',
    summary: 'Delete a domain with its accounts, mailboxes and messages',
    success: { description: 'It is gone', shape: deletion },
    async handle(call) {
      const { services, caller, ids } = call;
      const domain = await deleteDomain(services, caller.team, ids.domain_id);
      await audit(call, 'domain.deleted', domain.name);
    },
  }),
];
