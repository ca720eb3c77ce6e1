import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Ctx, Handler } from '#api/context.ts';
import { JsonSource, sendJsonStream } from '#api/message-source.ts';
import type { Id } from '#core/ids.ts';
import { turnOf } from '#gate/event-loop.ts';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import type { UnreadResponses } from '#gate/unread-responses.ts';
import { programVersion } from '#telemetry/program-version.ts';

/** Minimum bytes of a body that is compressed, and of a body that is compressed only one at a time. */
const compressFrom = 1024;
const compressAlone = 65_536;
const encoders = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

type Encoding = 'br' | 'gzip' | 'identity';

/**
 * Converts a JSON body to bytes, compressed if the client accepts compression. A GET gets a strong ETag, or a 304 if the client has the
 * bytes. Bodies other than plain objects or lists (streams, pages) pass unchanged. A handler may set `state.revision`, a string that
 * changes whenever the bytes change: then the bytes are created only for a client that does not have them.
 */
export function representation(answers: UnreadResponses, baseUrl: string): Handler {
  const edition = JSON.stringify([programVersion, baseUrl]);
  return async (ctx, next) => {
    ctx.set({ Vary: 'Accept-Encoding, Cookie, X-API-KEY, X-Team-Id', 'Cache-Control': 'no-store' });
    await next();
    const { body } = ctx;
    if (ctx.respond === false) return;
    if (body instanceof JsonSource) await sendSource(ctx, body, edition);
    else if (isPlain(body)) await sendJson(ctx, body, edition, answers);
  };
}

async function sendJson(ctx: Ctx, body: object, edition: string, answers: UnreadResponses): Promise<void> {
  ctx.type = 'application/json';
  const user = ctx.state.caller?.userId ?? null;
  const tagged = ctx.method === 'GET' || ctx.method === 'HEAD';
  const { revision } = ctx.state;
  const known = tagged && revision !== undefined ? hash('sha256', edition + revision, 'base64url') : null;
  if (known !== null && isKnown(ctx, known, accepted(ctx))) return;
  const bytes = hasLongText(body) ? await longJson(body, user) : Buffer.from(JSON.stringify(body));
  // If a body has a revision, its encoding is chosen before its length is known.
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

/** Number of characters written as JSON at a time. A control character takes six. */
export const pieceCharacters = 32_768;

/** Checks whether one of the body's own fields is a string longer than a piece. */
export function hasLongText(body: object): boolean {
  return Object.values(body).some((value) => typeof value === 'string' && value.length > pieceCharacters);
}

/** Writes JSON like `JSON.stringify`. Each piece of a long string gets its own turn because some strings take 30 ms per MiB. */
export async function longJson(body: object, user: Id | null): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (const piece of jsonPieces(body)) {
    if (piece.length >= pieceCharacters) await turnOf(user, { continues: true });
    pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}

/** Yields JSON like `JSON.stringify`, with long strings in pieces. Whoever creates the value limits its nesting. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (!hasLong(value)) yield JSON.stringify(value);
  else if (typeof value === 'string') {
    yield '"';
    for (const piece of piecesOf(value)) yield JSON.stringify(piece).slice(1, -1);
    yield '"';
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      yield* jsonPieces(item);
    }
    yield ']';
  } else {
    const entries = Object.entries(value ?? {}).filter(([, item]) => item !== undefined);
    for (const [index, [name, item]] of entries.entries()) {
      yield `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      yield* jsonPieces(item);
    }
    yield '}';
  }
}

function hasLong(value: unknown): boolean {
  if (typeof value === 'string') return value.length > pieceCharacters;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLong);
}

/** Yields text in pieces. Never splits a surrogate pair because each half would be written as an escape. */
function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + pieceCharacters;
    const cut = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
    yield text.slice(start, cut);
    start = cut;
  }
}

/** Sends JSON uncompressed, as it is read. */
async function sendSource(ctx: Ctx, { revision, open }: JsonSource, edition: string): Promise<void> {
  if (isKnown(ctx, hash('sha256', edition + revision, 'base64url'), 'identity')) return;
  await sendJsonStream(ctx, open);
}

/**
 * Sets the strong validator (RFC 9110 section 8.8.3), one per sequence of bytes. If the client has the bytes, sets the status 304 and
 * returns true.
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
  if (ctx.get('accept-encoding') === '') return 'identity';
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity');
  return encoding === 'br' || encoding === 'gzip' ? encoding : 'identity';
}

/** Long bodies are compressed one at a time, with users in turn, because the same threads hash passwords. */
const oneByOne = createFairLimiter({ places: 1 });

function compress(user: Id, bytes: Buffer, encode: (bytes: Buffer) => Promise<Buffer>): Promise<Buffer> {
  return bytes.length < compressAlone ? encode(bytes) : oneByOne(String(user), () => encode(bytes));
}

/** Evaluates If-None-Match (RFC 9110 section 13.1.2): weak comparison with each tag of a list. `*` matches any tag. */
export function matches(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

function isPlain(body: unknown): body is object {
  if (Array.isArray(body)) return true;
  return typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;
}
