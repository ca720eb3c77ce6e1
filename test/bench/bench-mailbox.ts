import { latencyRow } from './bench-events.ts';
import { eventLatencies } from './event-latency.ts';
import { callJson } from './http-client.ts';
import { loadHttp, loadSmtp } from './load.ts';
import { subjectOf } from './mails.ts';
import { rss } from './process-stats.ts';
import { atLeast, type Row, type Side, under } from './report.ts';
import { clientCostOf, costOf, type Measured, measureRequests, timesOf } from './requests.ts';
import { alternate, type Effort, type Rounds, type StartSandpost, scaled, startPair } from './rounds.ts';
import type { Contender } from './servers.ts';
import { median } from './statistics.ts';

const parts = 5;

/** IDs of all messages, and the resident memory in MB and the time after each part. */
type Filled = { ids: string[]; memory: number[]; times: Date[] };

/**
 * Measures reading and searching one mailbox of 50,000 messages, and the memory for that. `fullTimes` is a full message's target, a ratio
 * to Mailpit.
 */
export async function benchMailbox(effort: Effort, start?: StartSandpost, fullTimes = 1): Promise<Row[]> {
  await using pair = await startPair(effort, start);
  const messages = scaled(50_000, effort, 500);
  const filled = {
    sandpost: await fill(pair.sandpost, messages),
    mailpit: await fill(pair.mailpit, messages),
  };
  const idsOf = (server: Contender) => (server.name === 'Sandpost' ? filled.sandpost : filled.mailpit).ids;

  const seconds = scaled(3, effort);
  const measure = (server: Contender, paths: string[], clients: number) =>
    measureRequests(server, { paths, clients, seconds });
  const run = (paths: (server: Contender, round: number) => string[], clients: number) =>
    alternate(effort.rounds, pair, (server, round) => measure(server, paths(server, round), clients));

  const list = await run(({ paths }) => [paths.list], 8);
  const full = await run((server) => sample(idsOf(server)).map(server.paths.message), 8);
  // A server may cache responses, so none of these messages was requested before.
  const once = await run(
    (server, round) => share(idsOf(server), effort.rounds, round).map(server.paths.message),
    8,
  );
  const none = await run(({ paths }) => [paths.search('nobody-wrote-this')], 1);
  const one = await run(({ paths }) => [paths.search(subjectOf(Math.floor(messages / 2)))], 1);
  let first = messages;
  const mailLoad = () => {
    const mails = scaled(500, effort, 100);
    first += mails;
    return { mails, rate: 100, first: first - mails };
  };
  const changing = await alternate(effort.rounds, pair, async (server) => {
    const [measured] = await Promise.all([
      measure(server, [server.paths.list], 8),
      eventLatencies(server, mailLoad()),
    ]);
    return measured;
  });
  const searching = await alternate(effort.rounds, pair, async (server) => {
    const load = mailLoad();
    const searches = loadHttp({
      port: server.httpPort,
      headers: server.headers,
      paths: [server.paths.search('nobody-wrote-this')],
      clients: 2,
      seconds: load.mails / load.rate,
    });
    const [latencies] = await Promise.all([eventLatencies(server, load), searches]);
    return latencies;
  });

  const count = messages.toLocaleString('en-US');
  return [
    ...ratesOf(5, `list of 50 of ${count} messages, 8 clients`, list),
    ...ratesOf(null, 'list of 50 messages, 8 clients, while 100 emails/s arrive', changing),
    under(30, {
      name: 'p99 of the list requests above',
      unit: 'ms',
      better: 'less',
      sandpost: { values: changing.sandpost.map(({ p99 }) => p99) },
      mailpit: { values: changing.mailpit.map(({ p99 }) => p99) },
    }),
    ...ratesOf(fullTimes, 'full message, 8 clients', full),
    ...ratesOf(null, 'full message, 8 clients, first request for each', once),
    atLeast(2, timesOf(`search with no match in ${count} messages`, none)),
    timesOf(`search with one match in ${count} messages`, one),
    latencyRow(
      'time from the 250 reply to the event, while 2 clients search',
      searching.sandpost,
      searching.mailpit,
    ),
    ...memoryRows(count, filled),
  ];
}

/** Sends letters or mixed emails in parts, and records memory and time after each. Throws unless the list then contains all of them. */
export async function fill(server: Contender, messages: number, mixed = false): Promise<Filled> {
  const { smtpPort: port, recipient: to } = server;
  const ids: string[] = [];
  const memory: number[] = [];
  const times: Date[] = [];
  const mails = messages / parts;
  for (let part = 0; part < parts; part++) {
    process.stderr.write(`  filling ${server.name}, part ${part + 1} of ${parts}\n`);
    const content = { first: part * mails, mixed };
    const outcome = await loadSmtp({ port, to, clients: 20, mails, connections: 'kept', content });
    ids.push(...outcome.ids);
    memory.push(rss(server.pid));
    times.push(new Date());
  }
  type List = { total?: number; pagination?: { total: number }; items?: unknown[]; messages?: unknown[] };
  const list = await callJson<List>(server, 'GET', server.paths.list);
  const total = list.pagination?.total ?? list.total;
  const shown = (list.items ?? list.messages)?.length;
  if (total !== messages || shown !== 50) throw new Error(`${server.name} lists ${shown} of ${total}`);
  return { ids, memory, times };
}

/** Chooses 500 IDs spread over the mailbox. */
function sample(ids: string[]): string[] {
  const step = Math.ceil(ids.length / 500);
  return ids.filter((_, index) => index % step === 0);
}

/** Chooses one round's IDs spread over the mailbox, excluding IDs from other rounds or the sample. */
function share(ids: string[], rounds: number, round: number): string[] {
  const sampled = new Set(sample(ids));
  return ids.filter((id, index) => index % rounds === round && !sampled.has(id));
}

/** Returns the rows for a rate and for a request's processor time. `times` is the target, a ratio to Mailpit. */
function ratesOf(times: number | null, name: string, found: Rounds<Measured>): Row[] {
  const rates = (rounds: Measured[]): Side => ({
    values: rounds.map(({ rate }) => rate),
    percentiles: [median(rounds.map(({ p50 }) => p50)), median(rounds.map(({ p99 }) => p99))],
  });
  const sides = { sandpost: rates(found.sandpost), mailpit: rates(found.mailpit) };
  const rate = { name, unit: 'requests/s', better: 'more' as const, ...sides };
  return [times === null ? rate : atLeast(times, rate), costOf(name, found), clientCostOf(name, found)];
}

function memoryRows(count: string, { sandpost, mailpit }: { sandpost: Filled; mailpit: Filled }): Row[] {
  const at = (part: number, { memory }: Filled): Side => ({ values: memory.slice(part, part + 1) });
  const row = (name: string, part: number): Omit<Row, 'target'> => ({
    name,
    unit: 'MB',
    better: 'less',
    sandpost: at(part, sandpost),
    mailpit: at(part, mailpit),
  });
  return [
    row(`resident memory after 1/${parts} of ${count} emails`, 0),
    under(350, row(`resident memory after ${count} emails`, parts - 1)),
  ];
}
