import type { Ctx, Next } from '#api/context.ts';
import { malformed } from '#api/problem.ts';

/** Refuses a request without Host or with several (RFC 9112 section 3.2), or whose target is no URL. */
export function requireWellFormed(ctx: Ctx, next: Next): Promise<void> {
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined) throw malformed('Host is missing');
  // Node's parsed headers keep the first of several.
  if (countHosts(ctx.req.rawHeaders) > 1) throw malformed('Host is repeated');
  try {
    ctx.path satisfies string;
  } catch {
    throw malformed('The request target is not a URL');
  }
  return next();
}

/** Counts the Host fields. `headers` has names and values in turn. */
function countHosts(headers: string[]): number {
  let count = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
