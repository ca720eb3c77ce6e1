import { route } from '#api/route.ts';
import { explainQuery, explanationShape } from '#api/shapes/search.ts';

export const searchRoutes = [
  route({
    method: 'get',
    path: '/api/search/explain',
    operationId: 'explainSearch',
    summary: 'How a search is read',
    query: explainQuery,
    success: { description: 'Its parts', shape: explanationShape },
    handle: async ({ query }) => query.text,
  }),
];
