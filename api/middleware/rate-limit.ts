import rateLimit from 'koa-ratelimit';
import type { Ctx, Handler } from '#api/context.ts';
import { TooMany } from '#core/errors.ts';
import type { Services } from '#setup/services.ts';

const windowMs = 60_000;
const logEveryMs = 60_000;

/**
 * Counts each caller's requests in a sliding window over all of their keys and sessions. Lets requests pass if the window
 * cannot be reached. Throws TooMany.
 */
export function limitRate(services: Services): Handler {
  const { rates, config, log, metrics } = services;
  let loggedAt = Number.NEGATIVE_INFINITY;
  /** Store interface of koa-ratelimit. Returns the calls left before this one, the seconds to the reset, and the limit. */
  const ratelimiter = async (key: string): Promise<[number, number, number]> => {
    try {
      const { slot, remaining, resetMs } = await rates.take(key, config.rateLimit, windowMs);
      // koa-ratelimit subtracts one from the calls left, and sends the reset unchanged: whole seconds, never 0.
      return [slot === null ? 0 : remaining + 1, Math.max(1, Math.ceil(resetMs / 1000)), config.rateLimit];
    } catch (err) {
      metrics.rateLimitFailures.inc();
      if (performance.now() - loggedAt >= logEveryMs) {
        loggedAt = performance.now();
        log.error(
          { event: 'rate-limit.failed', err },
          'the rate limit is not enforced: requests could not be counted',
        );
      }
      return [config.rateLimit, windowMs / 1000, config.rateLimit];
    }
  };
  const options: rateLimit.MiddlewareOptions & { onLimited: (ctx: Ctx) => void } = {
    driver: 'redis',
    // Redis or Map by its type. The Redis driver of koa-ratelimit calls this one command only.
    db: { ratelimiter } as unknown as Map<string, never>,
    namespace: 'user',
    duration: windowMs,
    max: config.rateLimit,
    id: (ctx) => String(ctx.state.caller.userId),
    headers: { total: 'RateLimit-Limit', remaining: 'RateLimit-Remaining', reset: 'RateLimit-Reset' },
    onLimited: (ctx) => {
      throw new TooMany(
        `More than ${config.rateLimit} requests in a minute`,
        Number(ctx.response.get('RateLimit-Reset')) * 1000,
      );
    },
  };
  const limit = rateLimit(options);
  return async (ctx, next) => {
    if (ctx.state.caller === null) await next();
    else await limit(ctx, next);
  };
}
