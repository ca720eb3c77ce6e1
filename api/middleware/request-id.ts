import { randomUUID } from 'node:crypto';
import type { Ctx, Next } from '#api/context.ts';

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** Names each request: by the client's own `X-Request-Id` where that is well-formed, else by a new one. */
export async function requestId(ctx: Ctx, next: Next): Promise<void> {
  const given = ctx.get('x-request-id');
  ctx.state.requestId = wellFormed.test(given) ? given : randomUUID();
  ctx.state.route = 'none';
  ctx.state.caller = null;
  ctx.set('X-Request-Id', ctx.state.requestId);
  await next();
}
