import { once } from 'node:events';
import { Redis } from 'ioredis';

/** The longest that a start waits for Redis, ms: without it a process works too. */
const patienceAtStartMs = 2000;

/** Hears that Redis went and came back, once each. */
export type ConnectionWatch = { onAway(error: Error): void; onBack(): void };

/**
 * A connection that is made in the background, again whenever it is lost. While there is none a command fails at once:
 * nothing queues up, and nothing that was sent is sent again.
 */
export function connectRedis(
  url: string,
  watch: ConnectionWatch,
  options: { commandTimeout?: number } = {},
): Redis {
  const redis = new Redis(url, {
    connectionName: 'sandpost',
    connectTimeout: 2000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1000),
    ...options,
  });
  let away = false;
  const leave = (error: Error) => {
    if (!away) watch.onAway(error);
    away = true;
  };
  redis.on('error', leave);
  // A server that stops in order closes the connection without an error.
  redis.on('reconnecting', () => leave(new Error('the connection was closed')));
  redis.on('ready', () => {
    if (away) watch.onBack();
    away = false;
  });
  return redis;
}

/** Resolves when the first connection is made, or has failed, so that the first commands of a process find one. */
export async function firstConnection(redis: Redis): Promise<void> {
  await once(redis, 'ready', { signal: AbortSignal.timeout(patienceAtStartMs) }).catch(() => {});
}
