import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Ctx, Handler } from './context.ts';
import { matches } from './middleware/representation.ts';
import type { BuiltFile } from './web-build.ts';

type Page = { type: string; body: Buffer };

const own = (name: string) => readFileSync(new URL(`./pages/${name}`, import.meta.url));
const swaggerUi = (name: string) => readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)));

/** Content security policy of all pages: own files only, no framing, no submission of forms. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Swagger UI writes style attributes, and so does mail. A frame by srcdoc is subject to the policy of its page too.
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
const docsPolicy = [...policy, "img-src 'self' data:"].join('; ');
/**
 * Policy of the web page. Allows remote images, which only the frame of a mail requests. The frame's own policy blocks them
 * until a person allows them.
 */
const webPolicy = [...policy, "img-src 'self' data: blob: http: https:", "frame-src 'self' blob:"].join('; ');

const imageCheck: Page = { type: 'html', body: own('image-check.html') };
const [, imageScript = ''] = /<script>(.*)<\/script>/s.exec(imageCheck.body.toString()) ?? [];
/**
 * Policy of the frame that finds images that cannot be loaded. Its origin is opaque, and it runs no script but its own.
 */
const imageCheckPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(imageScript).digest('base64')}'`,
  'img-src http: https:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Paths at which the page is served. The page interprets them itself (`web/place.ts`). */
const webPath = /^(\/team\/\d+)?(\/(mail|manage)(\/|$)|\/?$)|^\/invitations\/[^/]+$/;

/** Paths of other programs, which never read a page. */
const programPath = /^\/(api|providers)(\/|$)/;

/**
 * Serves the web page, or instructions to build it if `web` is empty, and the reference of the API. The files are a fixed
 * set, and none comes from elsewhere.
 */
export function servePages(web: Map<string, BuiltFile>): Handler {
  const unbuilt = own('unbuilt.html');
  const fixed = new Map<string, Page>([
    ['/api/docs', { type: 'html', body: own('docs.html') }],
    ['/api/docs/init.js', { type: 'js', body: own('docs.js') }],
    ['/api/docs/swagger-ui.css', { type: 'css', body: swaggerUi('swagger-ui.css') }],
    ['/api/docs/swagger-ui-bundle.js', { type: 'js', body: swaggerUi('swagger-ui-bundle.js') }],
    ['/image-check', imageCheck],
  ]);
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const page = fixed.get(ctx.path);
    if (page !== undefined) {
      ctx.state.route = ctx.path;
      const policy = page === imageCheck ? imageCheckPolicy : docsPolicy;
      ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' });
      ctx.type = page.type;
      ctx.body = page.body;
      return;
    }
    const asset = ctx.path.startsWith('/assets/') ? web.get(ctx.path) : undefined;
    if (asset !== undefined) {
      ctx.state.route = '/assets/{file}';
      // The name of the file has a hash of its content.
      ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
      return serveBuilt(ctx, asset);
    }
    if (!webPath.test(ctx.path)) {
      if (programPath.test(ctx.path) || ctx.accepts('json', 'html') !== 'html') return next();
      ctx.vary('Accept');
      ctx.status = 404;
    } else ctx.state.route = '/';
    ctx.set({ 'Content-Security-Policy': webPolicy, 'Cache-Control': 'no-cache' });
    const index = web.get('/index.html');
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
