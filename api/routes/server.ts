import { route } from '#api/route.ts';
import { presentServer, serverShape } from '#api/shapes/server.ts';

export const serverRoutes = [
  route({
    method: 'get',
    path: '/api/server',
    operationId: 'getServer',
    summary: 'Where mail goes in',
    tag: 'Service',
    access: 'identified',
    success: { description: 'Where mail goes in', shape: serverShape },
    handle: async ({ services }) => presentServer(services.config),
  }),
];
