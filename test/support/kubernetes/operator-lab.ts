import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';
import { type ApiServer, startApiServer, writeKubeconfig } from './api-server.ts';
import { type Condition, namespace } from './custom-resources.ts';
import type { Json, Kubectl } from './kubectl.ts';

/** Kubernetes API server and store, with the settings for an operator between them. */
export type OperatorLab = AsyncDisposable & {
  server: ApiServer;
  kubectl: Kubectl;
  store: Store;
  dns: DnsServer;
  /** Settings for each process in the installation. */
  settings: Record<string, string>;
  startOperator(settings?: Record<string, string>): Promise<Process>;
  /** Creates a namespace for one test. */
  newNamespace(): Promise<string>;
  /** Returns the ID of a namespace's team, or 0. */
  tenant(name: string): Promise<number>;
};

type Servers = {
  startServer: () => Promise<ApiServer>;
  startStore: () => Promise<Pick<TestMongo, 'uri' | 'close'>>;
};

/** Starts the lab on the given servers, or on the servers that all files share. */
export async function startOperatorLab({
  startServer = startApiServer,
  startStore = startMongod,
}: Partial<Servers> = {}): Promise<OperatorLab> {
  const [server, mongo, redis, dns] = await Promise.all([
    startServer(),
    startStore(),
    startRedis(),
    startDnsServer(),
  ]);
  const store = withPeople(await openMongoStore({ uri: mongo.uri }));
  const kubeconfig = await writeKubeconfig(`${server.folder}/operator-kubeconfig`, {
    url: server.url,
    ca: server.ca,
    token: server.operatorToken,
  });
  const settings = {
    SANDPOST_MONGODB_URI: mongo.uri,
    SANDPOST_REDIS_URL: redis.url,
    SANDPOST_DNS_SERVERS: dns.address,
    SANDPOST_MX_HOSTS: 'mx.sandpost.test',
    SANDPOST_MX_INTERVAL: '1',
    // A restarted container has its pod's name, and so acquires the Lease immediately.
    SANDPOST_POD_NAME: 'operator-0',
    KUBECONFIG: kubeconfig,
  };
  return {
    ...{ server, kubectl: server.kubectl, store, dns, settings },
    startOperator: (more = {}) => startProcess('operator', { ...settings, ...more }),
    async newNamespace() {
      const name = `qa-${randomBytes(3).toString('hex')}`;
      await server.kubectl.apply(namespace(name));
      return name;
    },
    tenant: async (name) => (await store.teams.find({ managed: `namespace/${name}` }))?.id ?? 0,
    async [Symbol.asyncDispose]() {
      await store.close();
      await Promise.all([server[Symbol.asyncDispose](), redis.server.remove(), dns.close(), mongo.close()]);
    },
  };
}

type Running = { lab: OperatorLab; operator: Process };
/** Lab for suites without their own settings, shared by all files in the process. */
let ofAll: Promise<Running> | null = null;

async function begin(settings?: Record<string, string>): Promise<Running> {
  const lab = await startOperatorLab();
  return { lab, operator: await lab.startOperator(settings) };
}

async function end({ lab, operator }: Running): Promise<void> {
  await operator.kill();
  await lab[Symbol.asyncDispose]();
}

/** Ends the shared lab. */
export async function endLabOfAll(): Promise<void> {
  const running = await ofAll;
  ofAll = null;
  if (running !== null) await end(running);
}
after(endLabOfAll);

/**
 * Lab for a suite, with an operator from its first test to its last. Call it in the suite. Without settings, the process's files
 * share the lab, and separate namespaces keep them apart.
 */
export function operatorScene(settings?: Record<string, string>) {
  let running: Running | null = null;
  const begun = (): Running => {
    if (running === null) throw new Error('the suite has not begun');
    return running;
  };
  /** Starts an operator in place of one that has ended. */
  const startAgain = async (more: Record<string, string> = {}): Promise<void> => {
    begun().operator = await begun().lab.startOperator(more);
  };
  before(async () => {
    if (settings === undefined) ofAll ??= begin();
    running = await (settings === undefined ? ofAll : begin(settings));
    if (running?.operator.alive() === false) await startAgain();
  });
  after(() => (settings === undefined || running === null ? undefined : end(running)));
  return {
    get lab() {
      return begun().lab;
    },
    get operator() {
      return begun().operator;
    },
    startAgain,
  };
}

/** Waits until a resource's status is up to date and has the wanted condition. Returns the resource. */
export async function conditionIs(
  kubectl: Kubectl,
  [kind, namespaceName, name]: [kind: string, namespace: string, name: string],
  wanted: Partial<Condition> & Pick<Condition, 'type'>,
  withinMs = 120_000,
): Promise<Json> {
  let seen: Json = null;
  const holds = async () => {
    seen = await kubectl.get(kind, namespaceName, name);
    const condition = seen?.status?.conditions.find(({ type }: Condition) => type === wanted.type);
    return (
      seen?.status?.observedGeneration === seen?.metadata.generation &&
      Object.entries(wanted).every(([field, value]) => condition?.[field] === value)
    );
  };
  await until(holds, withinMs, 50).catch(() => {
    throw new Error(`${kind} ${name} is not ${JSON.stringify(wanted)}: ${JSON.stringify(seen?.status)}`);
  });
  return seen;
}
