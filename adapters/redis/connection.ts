import { once } from 'node:events';
import { Cluster, Redis } from 'ioredis';
import { connectionFault } from '#adapters/connection-fault.ts';
import { readRedisAddress } from './address.ts';

/** Client of one server, of the primary monitored by Sentinels, or of a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/** Maximum time in ms for which a process waits for Redis when it starts. The process also works without Redis. */
const patienceAtStartMs = 2000;

/** Listener for the loss and the return of Redis, called once for each. `fault` is a sentence for a person. */
export type ConnectionWatch = { onAway(error: Error, fault: string): void; onBack(): void };

/**
 * Connects in the background, again whenever the connection is lost, and to the new primary after a failover. A command fails immediately
 * if there is no connection: no command is queued or sent twice. `url`: see `readRedisAddress`.
 */
export function connectRedis(
  url: string,
  watch: ConnectionWatch,
  options: { commandTimeout?: number } = {},
): RedisClient {
  const redis = clientOf(url, options);
  let away = false;
  const leave = (error: Error) => {
    if (!away) watch.onAway(error, faultOf(error));
    away = true;
  };
  redis.on('error', leave);
  // A server that shuts down cleanly closes the connection without an error.
  redis.on('reconnecting', () => leave(new Error('the server closed the connection')));
  redis.on('ready', () => {
    if (away) watch.onBack();
    away = false;
  });
  // ioredis gives up when a Sentinel announces a new primary during an attempt to connect.
  const connectAgain = () => {
    if (!closed.has(redis)) redis.connect().catch(() => {});
  };
  redis.on('end', () => setTimeout(connectAgain, retryStrategy(1)));
  return redis;
}

const closed = new WeakSet<RedisClient>();

/** Disconnects for good. */
export function closeRedis(redis: RedisClient): void {
  closed.add(redis);
  redis.disconnect();
}

/**
 * Resolves when the first attempt to connect has succeeded or failed, after 2 s at the latest, so a process's first commands find a
 * connection.
 */
export async function firstConnection(redis: RedisClient): Promise<void> {
  await once(redis, 'ready', { signal: AbortSignal.timeout(patienceAtStartMs) }).catch(() => {});
}

function clientOf(url: string, options: { commandTimeout?: number }): RedisClient {
  const common = {
    connectionName: 'sandpost',
    connectTimeout: 2000,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    // A failed automatic subscription would be an unhandled rejection, which ends the process.
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    retryStrategy,
    ...options,
  };
  const address = readRedisAddress(url);
  if (address.kind === 'server') return new Redis(address.url, common);
  const { nodes, username, password, tls } = address;
  const credentials = { ...(username && { username }), ...(password && { password }) };
  const secure = tls ? { tls: {} } : {};
  if (address.kind === 'cluster') {
    return new Cluster(nodes, {
      enableOfflineQueue: false,
      clusterRetryStrategy: retryStrategy,
      // Certificates contain host names, but the nodes report addresses.
      ...(tls && { dnsLookup: (name, done) => done(null, name) }),
      redisOptions: { ...common, ...credentials, ...secure },
    });
  }
  return new Redis({
    ...common,
    ...credentials,
    ...secure,
    name: address.name,
    sentinels: nodes,
    sentinelRetryStrategy: retryStrategy,
    failoverDetector: true,
    // Former primary that has become a replica.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
  });
}

const retryStrategy = (attempt: number) => Math.min(attempt * 100, 1000);

/** Reasons for which a server refuses, by the first word of its answer. */
const answers: Record<string, string> = {
  WRONGPASS: 'the server rejects the user or password in the URL',
  NOAUTH: 'the server requires a password: add it to the URL',
  NOPERM: 'the user in the URL lacks a permission: grant +@all on the keys and channels sandpost:*',
  LOADING: 'the server is still loading its data',
  READONLY: "the server is a replica: use the primary's address in the URL",
};

/** Describes an error of Redis to a person. */
export function faultOf(error: Error): string {
  // If no node of a cluster responds, the error contains the last node's error.
  const last = 'lastNodeError' in error && error.lastNodeError instanceof Error ? error.lastNodeError : error;
  const known = connectionFault(last, 'rediss: in the URL') ?? answers[last.message.split(' ')[0] ?? ''];
  return known ?? last.message;
}
