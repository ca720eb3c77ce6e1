import { randomUUID } from 'node:crypto';
import type { Ctx, Handler, Next } from '#api/context.ts';
import type { Services } from '#setup/services.ts';

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** Records when a request came, makes its reader, and gives it an id: a well-formed `X-Request-Id`, or else a new one. */
export function arrival({ store }: Pick<Services, 'store'>): Handler {
  return (ctx: Ctx, next: Next): Promise<void> => {
    ctx.state.arrivedAt = performance.now();
    ctx.state.reader = store.reader();
    const given = ctx.get('x-request-id');
    ctx.state.requestId = wellFormed.test(given) ? given : randomUUID();
    ctx.state.route = 'none';
    ctx.state.caller = null;
    ctx.set('X-Request-Id', ctx.state.requestId);
    return next();
  };
}
