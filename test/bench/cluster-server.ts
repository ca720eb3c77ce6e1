import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { createApiKey } from '#core/access/api-keys.ts';
import { addUser } from '#core/access/user-changes.ts';
import type { Store } from '#core/store.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';
import { startDns } from './dns-responder.ts';
import type { Endpoint } from './http-client.ts';
import { cpuMs } from './process-stats.ts';
import { benchSettings, startSandpostProcess } from './sandpost-process.ts';
import { asContender, type Contender, openDomain } from './servers.ts';

/** Cluster. `pid` and `smtpPort` belong to the first SMTP process. `store` is the same store, opened in this process. */
export type Cluster = Contender & {
  smtpPorts: number[];
  store: Store;
  /** Returns counts since the start, summed over all SMTP processes. */
  commits(): Promise<CommitCounts>;
};

/** Commit counts: `batches` were written. Another process made a commit restart `retries` times. */
export type CommitCounts = { batches: number; retries: number };

/** User with a domain, and the API endpoint with that user's key. */
export type ClusterUser = Endpoint & { id: number; domain: string };

/** Cache of mongod in GB: its default on a machine with 3 GB. */
const cacheGb = 1;

/** Starts Sandpost as a cluster: one mongod, one Redis, one `sandpost api` and several `sandpost smtp`. */
export async function startCluster(smtpProcesses: number, profileTo?: string): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  const mongo = await startMongod(cacheGb);
  started.defer(() => mongo.close());
  const redis = await startRedis();
  started.defer(() => redis.server.remove());
  const dns = await startDns();
  started.defer(() => dns.close());

  const { apiKey, env: common } = benchSettings(dns.address);
  const env = { ...common, SANDPOST_MONGODB_URI: mongo.uri, SANDPOST_REDIS_URL: redis.url };
  const start = async (command: 'api' | 'smtp') => {
    const process = await startSandpostProcess(command, { env, profileTo });
    started.defer(process.stop);
    return process;
  };
  const api = await start('api');
  const first = await start('smtp');
  const smtp = [first];
  while (smtp.length < smtpProcesses) smtp.push(await start('smtp'));

  const store = await openMongoStore({ uri: mongo.uri });
  started.defer(() => store.close());
  const client = new MongoClient(mongo.uri);
  started.defer(() => client.close());
  const endpoint = { httpPort: api.ports.http, headers: { 'x-api-key': apiKey } };
  const contender = await asContender(endpoint, { pid: first.pid, smtpPort: first.ports.smtp });
  const { pid: mongod } = await client.db().command({ serverStatus: 1 });
  const running = started.move();
  return {
    ...contender,
    smtpPorts: smtp.map(({ ports }) => ports.smtp),
    store,
    async commits() {
      const retries = await Promise.all(smtp.map(({ ports }) => retriesOf(ports.ops)));
      return { batches: await commitsIn(client), retries: retries.reduce((sum, count) => sum + count, 0) };
    },
    cpuMs: () =>
      [Number(mongod), api.pid, ...smtp.map(({ pid }) => pid)].reduce((sum, pid) => sum + cpuMs(pid), 0),
    stop: () => running.disposeAsync(),
  };
}

/** Creates users, each with a separate domain. */
export async function openUsers({ httpPort, store }: Cluster, count: number): Promise<ClusterUser[]> {
  const users: ClusterUser[] = [];
  const clock = () => new Date();
  while (users.length < count) {
    const domain = `bench${users.length}.test`;
    const wanted = { email: `bench@${domain}`, passwordHash: 'no password', now: clock() };
    const user = await store.rows.change(addUser, wanted);
    const { value } = await createApiKey({ ...store, clock }, user.id, { name: 'bench', createdBy: user });
    const endpoint = { httpPort, headers: { 'x-api-key': value } };
    await openDomain(endpoint, domain);
    users.push({ ...endpoint, id: user.id, domain });
  }
  return users;
}

/** Counts committed transactions. Each batch is one transaction. */
async function commitsIn(client: MongoClient): Promise<number> {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 });
  return Number(metrics.commands.commitTransaction.total);
}

async function retriesOf(opsPort: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${opsPort}/metrics`);
  const count = /^sandpost_commit_retries_total (\d+)$/m.exec(await answer.text())?.[1];
  if (count === undefined) throw new Error('the metrics do not tell of retries');
  return Number(count);
}
