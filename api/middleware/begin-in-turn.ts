import type { Ctx, Handler } from '#api/context.ts';
import { clientNetwork } from '#core/access/client-network.ts';
import type { Id } from '#core/ids.ts';
import { turnToBegin } from '#gate/event-loop.ts';

/**
 * Begins requests in turn by network and user, whatever the number of connections. The wait also lets the parser go through
 * its whole input first: it may find too many requests, and their connection is closed before any of them begins. Drops a
 * request whose client has gone, before its turn, so that it takes no memory until then.
 */
export function beginInTurn(userOf: (ctx: Ctx) => Id | null): Handler {
  return async (ctx, next) => {
    const turn = turnToBegin(clientNetwork(ctx.ip), userOf(ctx));
    if (turn !== undefined) {
      const closed = Promise.withResolvers<void>();
      ctx.req.once('close', closed.resolve);
      await Promise.race([turn, closed.promise]);
      ctx.req.off('close', closed.resolve);
    }
    if (ctx.req.socket.destroyed) ctx.respond = false;
    else await next();
  };
}
