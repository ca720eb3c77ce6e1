import { randomUUID } from 'node:crypto';
import type { Ctx, Next } from '#api/context.ts';

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** Records when a request came, and gives it an id: its own `X-Request-Id` if that is well-formed, else a new one. */
export function requestId(ctx: Ctx, next: Next): Promise<void> {
  ctx.state.asked = performance.now();
  const given = ctx.get('x-request-id');
  ctx.state.requestId = wellFormed.test(given) ? given : randomUUID();
  ctx.state.route = 'none';
  ctx.state.caller = null;
  ctx.set('X-Request-Id', ctx.state.requestId);
  return next();
}
