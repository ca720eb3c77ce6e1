import { limits } from '#core/limits.ts';
import type { Services } from '#setup/services.ts';
import type { Handler } from './context.ts';

/**
 * Serves `/livez`, and `/readyz` like the probes' port, for clients that reach only this port. Anybody may request a check, which writes
 * to the store, so its result is reused for a second. A failure has one of two sentences. `closing`: the process is stopping.
 */
export function serveReadiness({ ready }: Pick<Services, 'ready'>, closing: AbortSignal): Handler {
  let checked: { at: number; fault: Promise<string | null> } | null = null;
  const check = () => {
    const now = performance.now();
    if (checked === null || now - checked.at > limits.http.readinessMs)
      checked = { at: now, fault: faultOf(ready) };
    return checked.fault;
  };
  return async (ctx, next) => {
    const { path, method } = ctx;
    if ((path !== '/readyz' && path !== '/livez') || (method !== 'GET' && method !== 'HEAD')) return next();
    ctx.state.route = path;
    const fault = path === '/livez' ? null : closing.aborted ? 'shutting down' : await check();
    ctx.set('Cache-Control', 'no-store');
    ctx.status = fault === null ? 200 : 503;
    ctx.type = 'text/plain';
    ctx.body = `${fault ?? 'ok'}\n`;
  };
}

/** Returns the reason why the process cannot do its work, or null. Store errors can contain addresses, which the reason omits. */
function faultOf(ready: Services['ready']): Promise<string | null> {
  return ready().then(
    () => null,
    () => 'the store cannot be reached',
  );
}
