import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import Joi from 'joi';
import { serveBuilt } from '#api/pages.ts';
import { type Route, route } from '#api/route.ts';
import type { BuiltFile } from '#api/web-build.ts';

/** Documents by base URL. The tests have several in one process. */
const documents = new Map<string, Promise<BuiltFile>>();

/** Serves the OpenAPI document of all routes, this one included. */
export const openApiRoute: Route = route({
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
  async handle({ ctx, services }) {
    const { baseUrl } = services.config;
    const document = documents.get(baseUrl) ?? makeDocument(baseUrl);
    documents.set(baseUrl, document);
    // A failure is not kept: the next request tries again.
    document.catch(() => documents.delete(baseUrl));
    ctx.set('Cache-Control', 'private, no-cache');
    serveBuilt(ctx, await document);
    return undefined;
  },
});

/** Makes the document in a thread of its own: it takes 0.2 s, and its libraries as long again. */
async function makeDocument(baseUrl: string): Promise<BuiltFile> {
  const worker = new Worker(new URL('../openapi-worker.ts', import.meta.url), { workerData: baseUrl });
  const [{ type, body, br, gzip, tag }]: [BuiltFile] = (await once(worker, 'message')) as [BuiltFile];
  // Buffers come as plain arrays of bytes.
  const bytes = (form: Buffer | null) => (form === null ? null : Buffer.from(form));
  return { type, body: Buffer.from(body), br: bytes(br), gzip: bytes(gzip), tag };
}
