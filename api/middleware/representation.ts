import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Ctx, Handler } from '#api/context.ts';
import { JsonSource, startedStream } from '#api/message-source.ts';
import type { Id } from '#core/ids.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { UnreadAnswers } from '#gate/unread-answers.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Bytes from which a body is compressed, and bytes from which bodies are compressed one at a time. */
const compressFrom = 1024;
const compressAlone = 65_536;
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

type Encoding = 'br' | 'gzip' | 'identity';

/**
 * Turns a JSON body into bytes, compressed if the client accepts that. A GET gets a strong ETag, and a 304 if the client has
 * the bytes. Bodies that are no plain objects (streams, pages) pass unchanged. A handler may set `state.revision`, a text
 * that changes whenever the bytes change: they are then made only for a client that does not have them.
 */
export function representation(answers: UnreadAnswers, baseUrl: string): Handler {
  const edition = JSON.stringify([programVersion, baseUrl]);
  return async (ctx, next) => {
    ctx.vary(['Accept-Encoding', 'Cookie', 'X-API-KEY', 'X-Team-Id']);
    ctx.set('Cache-Control', 'no-store');
    await next();
    const { body } = ctx;
    if (ctx.respond === false) return;
    if (body instanceof JsonSource) await sendSource(ctx, body, edition);
    else if (isPlainObject(body)) await sendJson(ctx, body, edition, answers);
  };
}

async function sendJson(ctx: Ctx, body: object, edition: string, answers: UnreadAnswers): Promise<void> {
  ctx.type = 'application/json';
  const user = ctx.state.caller?.userId ?? null;
  const tagged = ctx.method === 'GET' || ctx.method === 'HEAD';
  const { revision } = ctx.state;
  const known = tagged && revision !== undefined ? hash('sha256', edition + revision, 'base64url') : null;
  if (known !== null && isKnown(ctx, known, accepted(ctx))) return;
  const bytes = Buffer.from(JSON.stringify(body));
  // A body with a revision has its encoding chosen before its length is known.
  const encoding = known !== null || bytes.length >= compressFrom ? accepted(ctx) : 'identity';
  if (tagged && known === null && isKnown(ctx, hash('sha256', bytes, 'base64url'), encoding)) return;
  // Counts the whole body, which stays in memory while it is compressed.
  if (user !== null) answers.hold(ctx.res, user, bytes.length);
  ctx.body = bytes;
  if (encoding !== 'identity') {
    ctx.set('Content-Encoding', encoding);
    ctx.body = await compress(user ?? 0, bytes, encoders[encoding]);
  }
}

/** Sends JSON while it is read, uncompressed. */
async function sendSource(ctx: Ctx, { revision, open }: JsonSource, edition: string): Promise<void> {
  if (isKnown(ctx, hash('sha256', edition + revision, 'base64url'), 'identity')) return;
  ctx.status = 200;
  if (ctx.method !== 'HEAD') ctx.body = await startedStream(open());
  ctx.type = 'application/json';
}

/**
 * Sets the strong validator (RFC 9110 section 8.8.3), one for each sequence of bytes. Returns true, with a 304, if the client
 * has it.
 */
function isKnown(ctx: Ctx, digest: string, encoding: Encoding): boolean {
  const tag = encoding === 'identity' ? `"${digest.slice(0, 32)}"` : `"${digest.slice(0, 32)}-${encoding}"`;
  ctx.set({ ETag: tag, 'Cache-Control': 'private, no-cache' });
  if (!matches(ctx.get('if-none-match'), tag)) return false;
  ctx.status = 304;
  ctx.body = null;
  return true;
}

function accepted(ctx: Ctx): Encoding {
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  return encoding === 'br' || encoding === 'gzip' ? encoding : 'identity';
}

/** Long bodies are compressed one at a time, users in turn, since the same threads hash passwords. */
const oneByOne = createFairLimiter({ places: 1 });

function compress(user: Id, bytes: Buffer, encode: (bytes: Buffer) => Promise<Buffer>): Promise<Buffer> {
  return bytes.length < compressAlone ? encode(bytes) : oneByOne(String(user), () => encode(bytes));
}

/** Evaluates If-None-Match (RFC 9110 section 13.1.2): weak comparison with each tag of a list. `*` matches any tag. */
export function matches(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

function isPlainObject(body: unknown): body is object {
  return typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
}
