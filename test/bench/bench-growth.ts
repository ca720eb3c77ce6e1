import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { limits } from '#core/limits.ts';
import { loadBySmtpSource, loadByWrk } from './cheap-clients.ts';
import { startDns } from './dns-responder.ts';
import { batch, insertRows, letters, progress, subjectOf } from './many-mails.ts';
import { rss } from './process-stats.ts';
import { type Row, under } from './report.ts';
import { type Effort, scaled } from './rounds.ts';
import { benchSettings, type SandpostProcess, startSandpostProcess } from './sandpost-process.ts';
import { openAccount, openDomain } from './servers.ts';
import { median, percentile } from './statistics.ts';

const domain = 'bench.test';
const address = `qa@${domain}`;

/**
 * Measures one account with a million messages on the embedded store. This process commits them through the store's port. A new process
 * then lists and searches them, and accepts mail.
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
  const times = async (clients: number) => {
    const rounds: Awaited<ReturnType<typeof loadByWrk>>[] = [];
    while (rounds.length < effort.rounds) {
      rounds.push(await loadByWrk({ port, headers, paths: [`${inbox}?limit=50`], clients, seconds }));
    }
    const of = (value: 'p50' | 'p99') => median(rounds.map((round) => round[value]));
    return { values: [of('p99')], percentiles: [of('p50'), of('p99')] as [number, number] };
  };
  const last = Math.ceil((committedAt.length * batch) / 50);
  /** Requests a list from one client, one after the other. The program ends a request that takes too long. */
  const slow = async (name: string, query: string) => {
    const url = `http://127.0.0.1:${port}${inbox}?limit=50&${query}`;
    const taken: number[] = [];
    let ended = 0;
    for (let count = 0; count < 5 * effort.rounds; count += 1) {
      const begun = performance.now();
      const answer = await fetch(url, { headers });
      await answer.arrayBuffer();
      taken.push(performance.now() - begun);
      if (answer.status === 503) ended += 1;
      else if (answer.status !== 200) throw new Error(`${url} returned ${answer.status}`);
    }
    const note =
      ended === 0
        ? ''
        : `, ${ended} of ${taken.length} stopped at the ${limits.answers.searchMs / 1000} s limit`;
    const of = (share: number) => percentile(taken, share);
    return row(`${name}, one client${note}`, { values: [of(0.99)], percentiles: [of(0.5), of(0.99)] });
  };
  const searched = (words: string) => `q=${encodeURIComponent(words)}`;
  const late = await rateOfMail(server, effort);
  const count = wanted.toLocaleString('en-US');
  const row = (name: string, sandpost: Row['sandpost']) => ({
    ...{ name: `${name}, ${count} in one account: p99`, unit: 'ms', better: 'less' as const },
    ...{ sandpost, mailpit: null },
  });
  const rate = (name: string, value: number): Row => ({
    ...{ name: `4 KB emails over SMTP, 20 clients, ${name}`, unit: 'emails/s', better: 'more' },
    ...{ sandpost: { values: [value] }, mailpit: null },
  });
  return [
    under(50, row('list of 50 messages, 8 clients', await times(8))),
    await slow('last page of 50 messages', `page=${last}`),
    await slow('search for a word that no message contains', searched('nobody-wrote-this')),
    await slow('search for the oldest message', searched(subjectOf(0))),
    await slow('search for the newest message', searched(subjectOf(wanted - 1))),
    ...insertRows(`${count} messages of 1 KB, batches of ${batch} through the store's port`, committedAt),
    rate('before filling', early),
    rate('after filling', late),
    {
      ...{ name: 'resident memory after filling', unit: 'MB', better: 'less' },
      ...{ sandpost: { values: [rss(server.pid)] }, mailpit: null },
    },
  ];
}

async function rateOfMail({ ports }: SandpostProcess, effort: Effort): Promise<number> {
  const mails = scaled(5000, effort, 200);
  const load = { port: ports.smtp, to: address, clients: 20, kept: true };
  // A warm-up load lets the process compile code.
  await loadBySmtpSource({ ...load, mails });
  return mails / (await loadBySmtpSource({ ...load, mails })).seconds;
}

/** Commits emails until the wanted number exists. Returns each batch's commit time in seconds. */
async function fill(dataDir: string, accountId: number, wanted: number): Promise<number[]> {
  const store = await openSqliteStore({ dataDir });
  try {
    const known = await store.users.find({ email: 'bench@bench.test' });
    if (known === null) throw new Error('the first user is missing');
    const addressee = { id: known.user.id, domain, accounts: [{ id: accountId, address }] };
    const committedAt: number[] = [];
    const batches = Math.ceil(wanted / batch);
    const begun = performance.now();
    while (committedAt.length < batches) {
      const verdicts = await store.deliveries.commit(letters(addressee, committedAt.length * batch));
      if (verdicts.some((verdict) => 'reason' in verdict)) throw new Error('a batch was refused');
      committedAt.push((performance.now() - begun) / 1000);
      if (committedAt.length % Math.ceil(batches / 20) === 0) progress(committedAt);
    }
    return committedAt;
  } finally {
    await store.close();
  }
}
