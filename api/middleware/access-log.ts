import type { Handler } from '#api/context.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/**
 * Measures and logs each request, up to the head of its answer. Reads are logged at level debug, changes and failures (5xx)
 * at level info.
 */
export function accessLog({ log, metrics }: { log: Log; metrics: Metrics }): Handler {
  return async (ctx, next) => {
    await next();
    const ms = performance.now() - ctx.state.arrivedAt;
    const { method, status } = ctx;
    const { route, requestId, caller } = ctx.state;
    metrics.httpRequests.observe({ method, route, status }, ms / 1000);
    const quiet = status < 500 && (method === 'GET' || method === 'HEAD');
    log[quiet ? 'debug' : 'info'](
      {
        event: 'http.request',
        method,
        route,
        status,
        ms: Math.round(ms * 10) / 10,
        user: caller?.userId,
        request_id: requestId,
      },
      `${method} ${route} ${status}`,
    );
  };
}
