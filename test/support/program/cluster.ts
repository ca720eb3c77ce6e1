import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import type { BoundServer } from '#test/support/stores/bound-server.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';
import { Pod } from './pod.ts';

/** Real program as a cluster: several processes on one database and one Redis, and a DNS server without names. */
export type Cluster = AsyncDisposable & {
  api: Pod[];
  smtp: Pod[];
  pods: Pod[];
  redis: BoundServer;
  dns: DnsServer;
};

export type ClusterOptions = {
  api?: number;
  smtp?: number;
  mongodbUri: string;
  settings?: Record<string, string>;
};

/** Starts the processes, by default two of each. The rate limit is high unless set. */
export async function startCluster({
  api = 2,
  smtp = 2,
  mongodbUri,
  settings,
}: ClusterOptions): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  const redis = await startRedis();
  started.defer(() => redis.server.remove());
  const dns = await startDnsServer();
  started.defer(() => dns.close());
  const all = {
    SANDPOST_MONGODB_URI: mongodbUri,
    SANDPOST_REDIS_URL: redis.url,
    SANDPOST_DNS_SERVERS: dns.address,
    SANDPOST_RATE_LIMIT: '1000000',
    ...settings,
  };
  const make = (command: 'api' | 'smtp', count: number) =>
    Array.from({ length: count }, () => new Pod(command, all));
  const apiPods = make('api', api);
  const smtpPods = make('smtp', smtp);
  const pods = [...apiPods, ...smtpPods];
  started.defer(async () => {
    await Promise.all(pods.map((pod) => pod.kill()));
  });
  const starts = await Promise.allSettled(pods.map((pod) => pod.start()));
  for (const start of starts) if (start.status === 'rejected') throw start.reason;
  const running = started.move();
  return {
    api: apiPods,
    smtp: smtpPods,
    pods,
    redis: redis.server,
    dns,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
