import { type Cluster, type ClusterUser, openUsers, startCluster } from './cluster-server.ts';
import { callJson } from './http-client.ts';
import { type HttpLoad, loadHttp } from './load.ts';
import { batch, insertRows, letters, progress } from './many-mails.ts';
import { type Row, under } from './report.ts';
import { type Effort, scaled } from './rounds.ts';
import { openAccount } from './servers.ts';
import { percentile } from './statistics.ts';

const users = 20;
/** Number of batches, from different users, that are committed at the same time. */
const writers = 2;
const insertWithinMs = 15 * 60_000;

/** Accounts of a user, and some of the messages in them. */
type Tenant = ClusterUser & { accounts: { id: number; address: string; inbox: string }[]; ids: number[] };
/** Number of messages, and each batch's commit time in order, in seconds since the first started. */
type Filled = { messages: number; committedAt: number[] };

/**
 * Measures many small messages in many accounts. This process commits them through the store's port, in batches of one user each. The API
 * process then reads them.
 */
export async function benchMillion(effort: Effort): Promise<Row[]> {
  const cluster = await startCluster(1, effort.profileTo);
  await using _stop = { [Symbol.asyncDispose]: cluster.stop };
  const accounts = scaled(1000, effort) / users;
  const wanted = scaled(1_000_000, effort);
  const tenants = await openTenants(cluster, accounts);
  const { messages, committedAt } = await fill(cluster, tenants, wanted);
  await checkTotals(tenants, messages);

  const seconds = scaled(20, effort);
  const count = messages.toLocaleString('en-US');
  const where = `${count} in ${(accounts * users).toLocaleString('en-US')} accounts`;
  const reads: Row[] = [];
  for (const clients of [1, 8]) {
    const load = { clients, seconds };
    const lists = await read(tenants, load, ({ accounts }) =>
      accounts.map(({ inbox }) => `${inbox}?limit=50`),
    );
    const full = await read(tenants, load, ({ ids }) => ids.map((id) => `/api/messages/${id}`));
    const who = clients === 1 ? 'one client' : `${clients} clients`;
    reads.push(p99Row(`list of 50 messages, ${who}, ${where}: p99`, lists));
    reads.push(p99Row(`full message, ${who}, ${where}: p99`, full));
  }
  return [
    ...reads,
    ...insertRows(
      `${count} of ${wanted.toLocaleString('en-US')} messages of 1 KB, batches of ${batch} through the store's port`,
      committedAt,
    ),
  ];
}

async function openTenants(cluster: Cluster, accounts: number): Promise<Tenant[]> {
  const owners = await openUsers(cluster, users);
  return Promise.all(
    owners.map(async (owner) => {
      const tenant: Tenant = { ...owner, accounts: [], ids: [] };
      while (tenant.accounts.length < accounts) {
        const address = `qa${tenant.accounts.length}@${owner.domain}`;
        tenant.accounts.push({ address, ...(await openAccount(owner, address)) });
      }
      return tenant;
    }),
  );
}

/** Commits batches until all messages are stored or the time is over. */
async function fill({ store }: Cluster, tenants: Tenant[], wanted: number): Promise<Filled> {
  const batches = Math.ceil(wanted / batch);
  const committedAt: number[] = [];
  let next = 0;
  const begun = performance.now();
  const write = async () => {
    while (next < batches && performance.now() - begun < insertWithinMs) {
      const number = next++;
      const tenant = tenants[number % tenants.length];
      if (tenant === undefined) return;
      const verdicts = await store.deliveries.commit(letters(tenant, number * batch));
      const [first] = verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.ids : []));
      if (first === undefined) throw new Error('a batch was refused');
      tenant.ids.push(first);
      committedAt.push((performance.now() - begun) / 1000);
      if (committedAt.length % Math.ceil(batches / 20) === 0) progress(committedAt);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return { messages: committedAt.length * batch, committedAt };
}

/** Throws unless the API lists as many messages as were committed. */
async function checkTotals(tenants: Tenant[], messages: number): Promise<void> {
  type List = { pagination: { total: number } };
  let total = 0;
  for (const tenant of tenants) {
    for (const { inbox } of tenant.accounts) {
      total += (await callJson<List>(tenant, 'GET', `${inbox}?limit=1`)).pagination.total;
    }
  }
  if (total !== messages) throw new Error(`${total} messages are listed of ${messages}`);
}

/** Measures request latencies in ms for one user after another. */
async function read(
  tenants: Tenant[],
  load: Pick<HttpLoad, 'clients' | 'seconds'>,
  pathsOf: (tenant: Tenant) => string[],
): Promise<number[]> {
  const requests = tenants
    .flatMap((tenant) => pathsOf(tenant).map((path, place) => ({ path, place, headers: tenant.headers })))
    .sort((a, b) => a.place - b.place);
  const port = tenants[0]?.httpPort ?? 0;
  const paths = requests.map(({ path }) => path);
  const headers = requests.map((request) => request.headers);
  return (await loadHttp({ port, headers, paths, ...load })).latencies;
}

function p99Row(name: string, latencies: number[]): Row {
  const sandpost = { values: [percentile(latencies, 0.99)], latencies };
  return under(50, { name, unit: 'ms', better: 'less', sandpost, mailpit: null });
}
