import Joi from 'joi';
import { type BuiltFile, serveBuilt } from '#api/pages.ts';
import { type Route, route } from '#api/route.ts';
import { Thread } from '#setup/threads.ts';

/** Document of this process, made at the first request. */
let document: Promise<BuiltFile> | null = null;

/** Serves the OpenAPI document of all routes, this one included. */
export const openApiRoute: Route = route({
  method: 'get',
  path: '/api/openapi.json',
  operationId: 'getOpenApi',
  summary: 'This document',
  access: 'public',
  success: {
    description: 'The OpenAPI 3.0.0 document of all paths',
    schema: Joi.object({ openapi: Joi.string().valid('3.0.0').required() }).unknown(),
  },
  async handle({ ctx, services }) {
    document ??= makeDocument(services.config.baseUrl).catch((error) => {
      // The next request tries again.
      document = null;
      throw error;
    });
    const built = await document;
    ctx.set('Cache-Control', 'private, no-cache');
    serveBuilt(ctx, built);
    return undefined;
  },
});

/** Makes the document in a thread of its own: it takes 0.2 s, and the loading of its libraries 0.1 s. */
async function makeDocument(baseUrl: string): Promise<BuiltFile> {
  const entry = new URL('../openapi-worker.ts', import.meta.url);
  const thread = new Thread({ entry, data: baseUrl, idleMs: 0 });
  const { type, body, br, gzip, tag } = await thread.call<BuiltFile>('build', []);
  // Buffers come as plain arrays of bytes.
  const bytes = (form: Buffer | null) => (form === null ? null : Buffer.from(form));
  return { type, body: Buffer.from(body), br: bytes(br), gzip: bytes(gzip), tag };
}
