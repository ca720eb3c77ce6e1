import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Ctx, Handler } from './context.ts';
import { matches } from './middleware/representation.ts';

const own = (name: string) => readFileSync(new URL(`./pages/${name}`, import.meta.url));

/** Content security policy of all pages: only Sandpost's own files, no framing, no form submission. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Emails contain style attributes. A srcdoc frame is also subject to its page's policy.
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
const referencePolicy = [...policy, "img-src 'self'"].join('; ');
/**
 * Policy of the web page. Allows remote images, which only an email's frame requests. The frame's own policy blocks these images until a
 * person allows them.
 */
const webPolicy = [...policy, "img-src 'self' data: blob: http: https:", "frame-src 'self' blob:"].join('; ');

const imageCheck = own('image-check.html');
// Bounded: the page is part of this project.
const [, imageScript = ''] = /<script>(.*)<\/script>/s.exec(imageCheck.toString()) ?? [];
/** Policy of the frame that finds images that cannot be loaded. The frame's origin is opaque, and it runs only its own script. */
const imageCheckPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(imageScript).digest('base64')}'`,
  'img-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Paths at which the page is served. The page interprets the path itself (`web/place.ts`). */
const webPath = /^(\/team\/\d+)?(\/(mail|manage)(\/|$)|\/?$)|^\/invitations\/[^/]+$/;

/** Paths for other programs, which never read a page. */
const programPath = /^\/(api|providers|mcp|skills|view|email|llms\.txt)(\/|$)/;

/**
 * Serves the web page, or build instructions if `web` is empty, and the API reference. Only serves a fixed set of this program's own
 * files.
 */
export function servePages(web: Map<string, BuiltFile>, basePath: string): Handler {
  const unbuilt = atBasePath(own('unbuilt.html').toString(), basePath);
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === '/image-check') {
      ctx.state.route = '/image-check';
      ctx.set({ 'Content-Security-Policy': imageCheckPolicy, 'Cache-Control': 'no-cache' });
      ctx.type = 'html';
      ctx.body = imageCheck;
      return;
    }
    const asset = ctx.path.startsWith('/assets/') ? web.get(ctx.path) : undefined;
    if (asset !== undefined) {
      ctx.state.route = '/assets/{file}';
      // The file name contains a hash of its content.
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      return serveBuilt(ctx, asset);
    }
    const isReference = ctx.path === '/api/docs';
    if (isReference) ctx.state.route = '/api/docs';
    else if (webPath.test(ctx.path)) ctx.state.route = '/';
    else {
      if (programPath.test(ctx.path) || ctx.accepts('json', 'html') !== 'html') return next();
      ctx.vary('Accept');
      ctx.status = 404;
    }
    const contentPolicy = isReference ? referencePolicy : webPolicy;
    ctx.set({ 'Content-Security-Policy': contentPolicy, 'Cache-Control': 'no-cache' });
    const index = web.get(isReference ? '/reference.html' : '/index.html');
    if (index !== undefined) return serveBuilt(ctx, index);
    ctx.status = 503;
    ctx.type = 'html';
    ctx.body = unbuilt;
  };
}

/** Serves a file in the smallest encoding that the client accepts, or 304 if the client has it. */
export function serveBuilt(ctx: Ctx, { type, body, br, gzip, tag }: BuiltFile): void {
  const takes = (name: string) => ctx.acceptsEncodings(name) === name;
  const encoding = br && takes('br') ? 'br' : gzip && takes('gzip') ? 'gzip' : 'identity';
  ctx.vary('Accept-Encoding');
  ctx.type = type;
  const known = encoding === 'identity' ? tag : tag.replace(/"$/, `-${encoding}"`);
  ctx.set('ETag', known);
  if (matches(ctx.get('if-none-match'), known)) {
    ctx.status = 304;
    return;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = (encoding === 'br' ? br : encoding === 'gzip' ? gzip : body) ?? body;
}

/** File in the built page, with its compressed forms, if any, and a strong ETag. */
export type BuiltFile = { type: string; body: Buffer; br: Buffer | null; gzip: Buffer | null; tag: string };

const dist = path.join(import.meta.dirname, 'web/dist');

/**
 * Reads the built page into memory, by path (`/index.html`, `/assets/…`), with its documents adapted to the base URL's path. Returns an
 * empty map if the page is not built.
 */
export function readWebBuild(basePath: string): Map<string, BuiltFile> {
  if (!existsSync(dist)) return new Map();
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' });
  const shown = names.filter((name) => /\.(html|js|css|svg)$/.test(name));
  return new Map(
    shown.map((name) => [`/${name.replaceAll('\\', '/')}`, readBuilt(path.join(dist, name), basePath)]),
  );
}

function readBuilt(file: string, basePath: string): BuiltFile {
  const bytes = readFileSync(file);
  const body = file.endsWith('.html') ? Buffer.from(atBasePath(bytes.toString(), basePath)) : bytes;
  const compressed = (end: string) => (existsSync(file + end) ? readFileSync(file + end) : null);
  return { type: path.extname(file), body, br: compressed('.br'), gzip: compressed('.gz'), tag: tagOf(body) };
}

/** Adds the base path to a built document's URLs. `web/base-path.ts` reads the path from the document. */
function atBasePath(html: string, basePath: string): string {
  return html
    .replaceAll(/ (href|src)="\.?\/(assets|api)\//g, ` $1="${basePath}/$2/`)
    .replace('name="base-path" content=""', `name="base-path" content="${basePath}"`);
}

/** Creates the same compressed forms for a JSON document that never changes. */
export function buildJson(document: object): BuiltFile {
  const body = Buffer.from(JSON.stringify(document));
  const br = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  return { type: 'application/json', body, br, gzip: gzipSync(body), tag: tagOf(body) };
}

function tagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 32)}"`;
}
