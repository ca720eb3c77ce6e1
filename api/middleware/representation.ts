import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Ctx, Next } from '#api/context.ts';

/** Bytes from which compressing a body pays. */
const compressFrom = 1024;
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/**
 * Turns a JSON body into bytes: compressed where the client takes that, and for a GET with a strong ETag, answered with
 * 304 where the client has it. Anything but a plain object (streams, pages) passes as it is.
 */
export async function representation(ctx: Ctx, next: Next): Promise<void> {
  ctx.vary(['Accept-Encoding', 'Cookie', 'X-API-KEY']);
  ctx.set('Cache-Control', 'no-store');
  await next();
  const { body } = ctx;
  if (ctx.respond === false || !isPlainObject(body)) return;
  const bytes = Buffer.from(JSON.stringify(body));
  const encoding = bytes.length >= compressFrom ? ctx.acceptsEncodings('br', 'gzip', 'identity') : 'identity';
  ctx.type = 'application/json';
  if (ctx.method === 'GET' || ctx.method === 'HEAD') {
    const tag = entityTag(bytes, encoding || 'identity');
    ctx.set({ ETag: tag, 'Cache-Control': 'private, no-cache' });
    if (matches(ctx.get('if-none-match'), tag)) {
      ctx.status = 304;
      ctx.body = null;
      return;
    }
  }
  ctx.body = bytes;
  if (encoding === 'br' || encoding === 'gzip') {
    ctx.set('Content-Encoding', encoding);
    ctx.body = await encoders[encoding](bytes);
  }
}

/** A strong validator (RFC 9110 section 8.8.3): one for each sequence of bytes that may be sent. */
function entityTag(bytes: Buffer, encoding: string): string {
  const digest = hash('sha256', bytes, 'base64url').slice(0, 32);
  return encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
}

/** RFC 9110 section 13.1.2: weak comparison, any of a list, `*` for whatever there is. */
export function matches(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

function isPlainObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
}
