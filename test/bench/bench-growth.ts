import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '#core/adapters/stores/sqlite/open.ts';
import { loadBySmtpSource, loadByWrk } from './cheap-clients.ts';
import { startDns } from './dns-responder.ts';
import { batch, insertRows, letters, progress, subjectOf } from './many-mails.ts';
import { rss } from './process-stats.ts';
import { type Row, under } from './report.ts';
import { type Effort, scaled } from './rounds.ts';
import { benchSettings, type SandpostProcess, startSandpostProcess } from './sandpost-process.ts';
import { openAccount, openDomain } from './servers.ts';
import { median } from './statistics.ts';

const domain = 'bench.test';
const address = `qa@${domain}`;

/**
 * Measures one account of a million messages on the embedded store. They are committed through the store's port from this
 * process. A new process then lists and searches them, and takes mail.
 */
export async function benchGrowth(effort: Effort): Promise<Row[]> {
  await using parts = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-growth-'));
  parts.defer(() => rm(folder, { recursive: true }));
  const dns = await startDns();
  parts.defer(() => dns.close());
  const { apiKey, env } = benchSettings(dns.address);
  const headers = { 'x-api-key': apiKey };
  const start = () =>
    startSandpostProcess('start', {
      env: { ...env, SANDPOST_DATA_DIR: folder },
      profileTo: effort.profileTo,
    });

  const first = await start();
  const endpoint = { httpPort: first.ports.http, headers };
  await openDomain(endpoint, domain);
  const { id: accountId, inbox } = await openAccount(endpoint, address);
  const early = await rateOfMail(first, effort);
  await first.stop();
  const wanted = scaled(1_000_000, effort);
  const committedAt = await fill(folder, accountId, wanted);

  const server = await start();
  parts.defer(server.stop);
  const seconds = scaled(5, effort);
  const { http: port } = server.ports;
  const times = async (clients: number, query: string) => {
    const rounds: Awaited<ReturnType<typeof loadByWrk>>[] = [];
    while (rounds.length < effort.rounds) {
      rounds.push(await loadByWrk({ port, headers, paths: [`${inbox}?limit=50${query}`], clients, seconds }));
    }
    const of = (value: 'p50' | 'p99') => median(rounds.map((round) => round[value]));
    return { values: [of('p99')], percentiles: [of('p50'), of('p99')] as [number, number] };
  };
  const last = Math.ceil((committedAt.length * batch) / 50);
  const searched = (words: string) => `&q=${encodeURIComponent(words)}`;
  const late = await rateOfMail(server, effort);
  const count = wanted.toLocaleString('en-US');
  const row = (name: string, sandpost: Row['sandpost']) => ({
    ...{ name: `${name}, ${count} in one account: p99`, unit: 'ms', better: 'less' as const },
    ...{ sandpost, mailpit: null },
  });
  const rate = (name: string, value: number): Row => ({
    ...{ name: `mails of 4 KB by SMTP, 20 clients, ${name}`, unit: 'mails/s', better: 'more' },
    ...{ sandpost: { values: [value] }, mailpit: null },
  });
  return [
    under(50, row('list of 50, 8 clients', await times(8, ''))),
    row('the last page of 50, one client', await times(1, `&page=${last}`)),
    row('search for a word that no message has, one client', await times(1, searched('nobody-wrote-this'))),
    row('search for the oldest message, one client', await times(1, searched(subjectOf(0)))),
    row('search for the newest message, one client', await times(1, searched(subjectOf(wanted - 1)))),
    ...insertRows(`${count} of 1 KB, batches of ${batch} by the store's port`, committedAt),
    rate('before', early),
    rate('afterwards', late),
    {
      ...{ name: 'resident memory afterwards', unit: 'MB', better: 'less' },
      ...{ sandpost: { values: [rss(server.pid)] }, mailpit: null },
    },
  ];
}

async function rateOfMail({ ports }: SandpostProcess, effort: Effort): Promise<number> {
  const mails = scaled(5000, effort, 200);
  const load = { port: ports.smtp, to: address, clients: 20, kept: true };
  // A first load lets the process compile code.
  await loadBySmtpSource({ ...load, mails });
  return mails / (await loadBySmtpSource({ ...load, mails })).seconds;
}

/** Commits mails until there are as many as wanted. Returns the time of each batch's commit in seconds. */
async function fill(dataDir: string, accountId: number, wanted: number): Promise<number[]> {
  const store = await openSqliteStore({ dataDir });
  try {
    const known = await store.users.findByEmail('bench@bench.test');
    if (known === null) throw new Error('the first user is missing');
    const addressee = { id: known.user.id, domain, accounts: [{ id: accountId, address }] };
    const committedAt: number[] = [];
    const batches = Math.ceil(wanted / batch);
    const begun = performance.now();
    while (committedAt.length < batches) {
      const verdicts = await store.deliveries.commitDeliveries(
        letters(addressee, committedAt.length * batch),
      );
      if (verdicts.some((verdict) => 'reason' in verdict)) throw new Error('a batch was refused');
      committedAt.push((performance.now() - begun) / 1000);
      if (committedAt.length % Math.ceil(batches / 20) === 0) progress(committedAt);
    }
    return committedAt;
  } finally {
    await store.close();
  }
}
