import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Ctx } from './context.ts';
import type { Problem } from './shapes/problem.ts';

/** Colors and measures of the page, and the style of a short text. */
const style = `${readFileSync(new URL('web/style/tokens.css', import.meta.url), 'utf8')}
body { max-width: 32rem; margin: 14vh auto; padding: 0 16px; background: var(--surface); color: var(--text); font: var(--size-3) / 1.5 var(--font) }
h1 { font-size: var(--size-5) }
a { color: var(--accent) }
small { color: var(--text-2) }
pre { overflow-x: auto }
`;
const styleHash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** Shows a failure as a page, with a link to the start. */
export function showFailure(ctx: Ctx, { detail }: Problem, basePath: string): void {
  const { requestId } = ctx.state;
  showPage(ctx, 'Something went wrong', [
    `<p role="alert">${inHtml(detail)}.</p>`,
    `<p><a href="${basePath}/">Back to Sandpost</a></p>`,
    `<p><small>Request ${inHtml(requestId)}</small></p>`,
  ]);
}

/**
 * Shows a page that automatically continues to a path on this host. A redirect would not work, because browsers send no SameSite=Strict
 * cookie after redirects from another site.
 */
export function showContinuePage(ctx: Ctx, path: string): void {
  ctx.set('Cache-Control', 'no-store');
  const address = inHtml(path);
  const refresh = `<meta http-equiv="refresh" content="0;url=${address}">`;
  showPage(ctx, 'Signed in', [`<p><a href="${address}">Continue to Sandpost</a></p>`], refresh);
}

/** Shows a page with a heading and some HTML. The page loads nothing. */
export function showPage(ctx: Ctx, title: string, body: string[], head = ''): void {
  ctx.set('Content-Security-Policy', policy);
  ctx.type = 'html';
  ctx.body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}
<title>${title} · Sandpost</title><style>${style}</style></head>
<body><main><h1>${title}</h1>
${body.join('\n')}
</main></body></html>
`;
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function inHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
