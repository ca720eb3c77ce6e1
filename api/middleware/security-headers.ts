import type { Ctx, Next } from '#api/context.ts';

/** No answer is ever a document of its own, in a frame, or sniffed into something else; pages set a policy of theirs. */
export async function securityHeaders(ctx: Ctx, next: Next): Promise<void> {
  ctx.set({
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  await next();
}
