import Joi from 'joi';
import { type Route, route } from '#api/route.ts';

/** Serves the document that is made from all routes, this one too. */
export function openApiRoute(document: () => object): Route {
  return route({
    method: 'get',
    path: '/api/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    tag: 'Service',
    access: 'public',
    success: {
      description: 'The OpenAPI 3.0.0 document of all paths',
      shape: Joi.object({ openapi: Joi.string().valid('3.0.0').required() }).unknown(),
    },
    handle: async () => document(),
  });
}
