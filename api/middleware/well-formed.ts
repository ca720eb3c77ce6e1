import type { Ctx, Next } from '#api/context.ts';
import { malformed } from '#api/problem.ts';

/** Refuses a request without Host or with several (RFC 9112 section 3.2), or whose target is no URL. */
export async function requireWellFormed(ctx: Ctx, next: Next): Promise<void> {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) throw malformed('Host is missing');
  // Node's parsed headers keep the first of several.
  const isHost = (text: string, index: number) =>
    index % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host';
  if (ctx.req.rawHeaders.filter(isHost).length > 1) throw malformed('Host is repeated');
  try {
    ctx.path satisfies string;
  } catch {
    throw malformed('The request target is not a URL');
  }
  await next();
}
