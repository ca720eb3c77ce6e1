import type { Ctx, Handler } from '#api/context.ts';
import { malformed } from '#api/shapes/problem.ts';
import { Unauthenticated } from '#core/errors.ts';
import type { Services } from '#setup/services.ts';
import { localOnly, namesThisMachine } from './session-cookie.ts';

/**
 * Browsers that have seen an https base URL use nothing else for a year (RFC 6797). Other hosts of the domain are not
 * affected.
 */
const strictTransport = 'max-age=31536000';

/**
 * Checks the head of a request. Sets headers that keep answers from loading anything, from frames, and from being sniffed as
 * another type. Pages set a policy of their own.
 *
 * Refuses every path to a foreign Host where there is a visitor, pages and public routes included: a page by DNS rebinding must
 * not learn that Sandpost runs here.
 */
export function checkHead({ config, visitor }: Pick<Services, 'config' | 'visitor'>): Handler {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(config.baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': strictTransport } : {}),
  };
  return (ctx, next) => {
    if (visitor !== null && !namesThisMachine(ctx.get('host'))) throw new Unauthenticated(localOnly);
    ctx.set(headers);
    requireWellFormed(ctx);
    return next();
  };
}

/** Refuses a request without Host or with several (RFC 9112 section 3.2), or whose target is no URL. */
function requireWellFormed(ctx: Ctx): void {
  const { httpVersion, headers, rawHeaders } = ctx.req;
  if (httpVersion === '1.1' && headers.host === undefined) throw malformed('Host is missing');
  // Node's parsed headers keep the first of several.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name));
  if (hosts.length > 1) throw malformed('Host is repeated');
  try {
    ctx.path satisfies string;
  } catch {
    throw malformed('The request target is not a URL');
  }
}
