import type { Handler } from '#api/context.ts';

/**
 * Browsers that have seen an https base URL use nothing else for a year (RFC 6797). Other hosts of the domain are not
 * affected.
 */
const strictTransport = 'max-age=31536000';

/**
 * Sets headers that keep answers from loading anything, from frames, and from being sniffed as another type. Pages set a
 * policy of their own.
 */
export function securityHeaders(baseUrl: string): Handler {
  const headers = {
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': strictTransport } : {}),
  };
  return (ctx, next) => {
    ctx.set(headers);
    return next();
  };
}
