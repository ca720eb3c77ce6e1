import { route } from '#api/route.ts';
import { responseShape, type Wire, word } from '#api/shapes/response-shape.ts';
import { presentServer, presentStorage, serverShape, storageShape } from '#api/shapes/server.ts';
import { proposeDomain } from '#core/domains/propose-domain.ts';

const healthShape = responseShape('Health', { status: word('ok').example('ok') });

const mostAccounts = 10;

export const serviceRoutes = [
  route({
    method: 'get',
    path: '/api/health',
    operationId: 'getHealth',
    summary: 'Whether the API answers',
    access: 'public',
    success: { description: 'It does', schema: healthShape },
    handle: async (): Promise<Wire<typeof healthShape>> => ({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/api/server',
    operationId: 'getServer',
    summary: 'Where mail goes in, and which domains may be registered',
    success: { description: 'Where mail goes in', schema: serverShape },
    handle: async ({ services, caller }) => {
      const name = caller.user?.email ?? (await services.teams.find(caller.team))?.name ?? '';
      return presentServer(services, await proposeDomain(services, { team: caller.team, name }));
    },
  }),
  route({
    method: 'get',
    path: '/api/storage',
    operationId: 'getStorage',
    summary: 'Whether mail is refused for want of room',
    success: { description: 'What is full', schema: storageShape },
    async handle({ services, caller }) {
      const { isDiskFull } = await services.storeRoom();
      const { items } = await services.accounts.listFull(caller.team, { page: 1, limit: mostAccounts });
      return presentStorage(isDiskFull, items);
    },
  }),
];
