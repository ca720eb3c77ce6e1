import { route } from '#api/route.ts';
import { presentServer, serverShape } from '#api/shapes/server.ts';
import { proposeDomain } from '#core/domains/propose-domain.ts';

export const serverRoutes = [
  route({
    method: 'get',
    path: '/api/server',
    operationId: 'getServer',
    summary: 'Where mail goes in, and which domains may be registered',
    tag: 'Service',
    access: 'identified',
    success: { description: 'Where mail goes in', shape: serverShape },
    handle: async ({ services, caller }) => {
      const name = caller.user?.email ?? (await services.teams.find(caller.team))?.name ?? '';
      return presentServer(services, await proposeDomain(services, { team: caller.team, name }));
    },
  }),
];
