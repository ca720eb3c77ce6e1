import type { Ctx, Next } from '#api/context.ts';
import { malformed } from '#api/problem.ts';

/** Refuses a request without Host (RFC 9112 section 3.2), or whose target is no URL. */
export async function requireWellFormed(ctx: Ctx, next: Next): Promise<void> {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) throw malformed('Host is missing');
  try {
    ctx.path satisfies string;
  } catch {
    throw malformed('The request target is not a URL');
  }
  await next();
}
