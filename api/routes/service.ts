import { route } from '#api/route.ts';
import { responseShape, type Wire, word } from '#api/shapes/response-shape.ts';
import { presentServer, presentStorage, serverShape, storageShape } from '#api/shapes/server.ts';
import { proposeDomain } from '#core/domains/propose-domain.ts';

const healthShape = responseShape('Health', { status: word('ok').example('ok') });

export const healthRoutes = [
  route({
    method: 'get',
    path: '/api/health',
    operationId: 'getHealth',
    summary: 'Whether the API answers',
    tag: 'Service',
    access: 'public',
    success: { description: 'It does', shape: healthShape },
    handle: async (): Promise<Wire<typeof healthShape>> => ({ status: 'ok' }),
  }),
];

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

const mostAccounts = 10;

export const storageRoutes = [
  route({
    method: 'get',
    path: '/api/storage',
    operationId: 'getStorage',
    summary: 'Whether mail is refused for want of room',
    tag: 'Service',
    access: 'identified',
    success: { description: 'What is full', shape: storageShape },
    async handle({ services, caller }) {
      const { isDiskFull } = await services.storeRoom();
      return presentStorage(isDiskFull, await services.accounts.listFull(caller.team, mostAccounts));
    },
  }),
];
