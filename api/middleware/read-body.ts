import type { Ctx } from '#api/context.ts';
import { HttpFault, malformed } from '#api/problem.ts';

/** Levels of objects and lists that a body may nest. */
const mostLevels = 20;
/** Bytes beyond the limit that are still taken in and dropped, so that the client reads the answer instead of a reset. */
const dropped = 8 * 1024 * 1024;
const jsonTypes = ['application/json', 'application/merge-patch+json'];

/** The JSON object that a request carries; null where it has no body. Throws HttpFault 400, 413. */
export async function readBody(ctx: Ctx, limit: number): Promise<Record<string, unknown> | null> {
  const { 'content-length': length, 'content-type': type, 'transfer-encoding': transfer } = ctx.req.headers;
  const announced = length ?? (transfer === undefined ? '0' : null);
  const bytes = await readBytes(ctx, limit, announced === null ? null : Number(announced));
  if (bytes.length === 0 && type === undefined) return null;
  checkType(type, ctx.req.headers['content-encoding']);
  return bytes.length === 0 ? null : parseObject(bytes);
}

/** RFC 8259 section 8.1: JSON between systems is UTF-8. */
function checkType(type: string | undefined, encoding: string | undefined): void {
  const [essence = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if (!jsonTypes.includes(essence) || !utf8) throw malformed('The body must be application/json in UTF-8');
  if (encoding !== undefined && encoding !== 'identity') throw malformed('The body must not be compressed');
}

/** `announced` bytes, or null where the body comes in chunks. */
async function readBytes(ctx: Ctx, limit: number, announced: number | null): Promise<Buffer> {
  const { req } = ctx;
  const pieces: Buffer[] = [];
  let size = 0;
  const hopeless = (bytes: number) => bytes > limit + dropped;
  if (announced === null || !hopeless(announced)) {
    for await (const piece of req.iterator({ destroyOnReturn: false })) {
      size += piece.length;
      if (size <= limit) pieces.push(piece);
      if (hopeless(size)) break;
    }
    if (size <= limit) return Buffer.concat(pieces);
  }
  if (!req.complete) ctx.set('Connection', 'close');
  throw new HttpFault({
    status: 413,
    code: 'payload_too_large',
    detail: `The body may have at most ${limit} bytes`,
  });
}

/** Parses a body; what could reach a prototype is left out. Throws HttpFault 400. */
export function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), (key, inner) => {
      if (typeof inner === 'string' && !inner.isWellFormed()) throw new SyntaxError('half a surrogate pair');
      return key === '__proto__' ? undefined : inner;
    });
  } catch {
    throw malformed('The body is not JSON');
  }
  if (!isObject(value)) throw malformed('The body must be a JSON object');
  if (isDeeper(value, mostLevels)) throw malformed(`The body may nest at most ${mostLevels} levels`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => isDeeper(child, levels - 1));
}
