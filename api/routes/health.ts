import { route } from '#api/route.ts';
import { responseShape, type Wire, word } from '#api/shapes/response-shape.ts';

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
