import type { Handler } from '#api/context.ts';

/** Browsers that have seen an https base URL use nothing else for a year (RFC 6797). Other hosts of the domain are left alone. */
const strictTransport = 'max-age=31536000';

/** No answer is ever a document of its own, in a frame, or sniffed into something else; pages set a policy of theirs. */
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
