import Joi from 'joi';
import { serveBuilt } from '#api/pages.ts';
import { type Route, route } from '#api/route.ts';
import { type BuiltFile, buildJson } from '#api/web-build.ts';

/** Serves the OpenAPI document of all routes, this one included. Its bytes are made once. */
export function openApiRoute(document: () => object): Route {
  let built: BuiltFile | undefined;
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
    async handle({ ctx }) {
      built ??= buildJson(document());
      ctx.set('Cache-Control', 'private, no-cache');
      serveBuilt(ctx, built);
      return undefined;
    },
  });
}
