import { once } from 'node:events';
import { Redis } from 'ioredis';
import { connectionFault } from '#adapters/connection-fault.ts';

/** Longest time that a start waits for Redis, ms. A process works without Redis too. */
const patienceAtStartMs = 2000;

/** Listener for the loss and the return of Redis, called once for each. `fault` is a sentence for a person. */
export type ConnectionWatch = { onAway(error: Error, fault: string): void; onBack(): void };

/**
 * Connects in the background, again whenever the connection is lost. A command fails at once while there is none: no command
 * is queued, and none is sent twice.
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
    if (!away) watch.onAway(error, faultOf(error));
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

/**
 * Resolves when the first connection is made or has failed, at the latest after 2 s, so that the first commands of a process
 * find one.
 */
export async function firstConnection(redis: Redis): Promise<void> {
  await once(redis, 'ready', { signal: AbortSignal.timeout(patienceAtStartMs) }).catch(() => {});
}

/** Refusals of a server, by the first word of its answer. */
const answers: Record<string, string> = {
  WRONGPASS: 'the server refuses the user or password in the URL',
  NOAUTH: 'the server needs a password: add it to the URL',
  NOPERM: 'the user in the URL may not run a command: grant +@all on the keys and channels sandpost:*',
  LOADING: 'the server is still loading its data',
  READONLY: 'the server is a replica: put the primary into the URL',
};

function faultOf(error: Error): string {
  const known =
    connectionFault(error, 'rediss: in its address') ?? answers[error.message.split(' ')[0] ?? ''];
  return known ?? error.message;
}
