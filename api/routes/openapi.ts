import Joi from 'joi';
import { type BuiltFile, serveBuilt } from '#api/pages.ts';
import { get, type Route } from '#api/route.ts';
import { madeOnce } from '#setup/threads.ts';

/** Creates the document in a thread, because this takes 0.2 s, and loading its libraries 0.1 s. */
const document = madeOnce<BuiltFile>(new URL('../openapi-worker.ts', import.meta.url));

/** Serves the OpenAPI document of all routes, including this one. */
export const openApiRoute: Route = get({
  path: '/api/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  access: 'public',
  success: {
    description: 'Read the OpenAPI 3.0.0 document for all paths',
    schema: Joi.object({ openapi: Joi.string().valid('3.0.0').required() }).unknown(),
  },
  async handle({ ctx, services }) {
    const { type, body, br, gzip, tag } = await document(services.config.baseUrl);
    ctx.set('Cache-Control', 'private, no-cache');
    serveBuilt(ctx, { type, body: bytesOf(body), br: bytesOf(br), gzip: bytesOf(gzip), tag });
  },
});

/** Returns a buffer's bytes, which arrive from a thread as a plain array. */
function bytesOf<Form extends Buffer | null>(form: Form) {
  return form && Buffer.from(form.buffer, form.byteOffset, form.length);
}
