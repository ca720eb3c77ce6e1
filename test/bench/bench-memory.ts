import { setTimeout as sleep } from 'node:timers/promises';
import { followEvents } from './follow-events.ts';
import { loadSmtp } from './load.ts';
import type { LargeKind } from './mails.ts';
import { peakRss, resetPeak, rss } from './process-stats.ts';
import { type Row, type Side, under } from './report.ts';
import { alternate, type Effort, type Rounds, type StartSandpost, startPair } from './rounds.ts';
import type { Contender } from './servers.ts';

/** Message size limit in bytes. */
const bytes = 26_214_400;
const streams = 100;

type Large = { peak: number; ms: number };

/** Measures the cost of large emails and idle streams. Each case has newly started servers in each round. */
export async function benchMemory(effort: Effort): Promise<Row[]> {
  const rows = await benchLarge(effort, [
    ['8 concurrent 25 MiB emails', 'attachment', 8, 350],
    ['one 25 MiB email, attachment', 'attachment', 1, null],
    ['one 25 MiB email, text only', 'text', 1, null],
    ['one 25 MiB email, HTML only', 'html', 1, null],
  ]);
  const idle = await fresh(effort, idleStreams);
  const each = row('10 idle event streams', 'MB', idle, (growth) => growth / (streams / 10));
  return [...rows, under(2, each)];
}

/** Peak memory case: a name, the kind of email, the number of simultaneous emails, and the limit in MB. */
export type LargeCase = [string, LargeKind, number, number | null];

export async function benchLarge(effort: Effort, cases: LargeCase[], start?: StartSandpost): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, kind, mails, limit] of cases) {
    const found = await fresh(effort, (server) => takeLarge(server, kind, mails), start);
    const peak = row(`${name}: peak resident memory`, 'MB', found, (large) => large.peak);
    rows.push(limit === null ? peak : under(limit, peak));
    rows.push(row(`${name}: time to the last 250 reply`, 'ms', found, (large) => large.ms));
  }
  return rows;
}

/** Measures with new servers in each round. */
async function fresh<T>(
  effort: Effort,
  measure: (server: Contender) => Promise<T>,
  start?: StartSandpost,
): Promise<Rounds<T>> {
  const found: Rounds<T> = { sandpost: [], mailpit: [] };
  for (let round = 0; round < effort.rounds; round++) {
    await using pair = await startPair(effort, start);
    const { sandpost, mailpit } = await alternate(1, pair, measure);
    found.sandpost.push(...sandpost);
    found.mailpit.push(...mailpit);
  }
  return found;
}

async function takeLarge(server: Contender, kind: LargeKind, mails: number): Promise<Large> {
  const { smtpPort: port, recipient: to, pid } = server;
  resetPeak(pid);
  const content = { kind, bytes };
  const outcome = await loadSmtp({ port, to, clients: mails, mails, connections: 'kept', content });
  return { peak: peakRss(pid), ms: outcome.seconds * 1000 };
}

/** Measures the growth in resident memory in MB from streams without events. */
async function idleStreams(server: Contender): Promise<number> {
  // The first stream loads code that all streams need.
  const close = await followEvents(server, () => {});
  close();
  const before = await settled(server.pid);
  const stops: (() => void)[] = [];
  while (stops.length < streams) stops.push(await followEvents(server, () => {}));
  const after = await settled(server.pid);
  for (const stop of stops) stop();
  return Math.max(0, after - before);
}

/** Returns the lowest resident memory over two seconds: garbage that will soon be collected does not count. */
async function settled(pid: number): Promise<number> {
  const seen: number[] = [];
  for (let count = 0; count < 20; count++) {
    await sleep(100);
    seen.push(rss(pid));
  }
  return Math.min(...seen);
}

function row<T>(name: string, unit: string, found: Rounds<T>, value: (item: T) => number): Row {
  const side = (items: T[]): Side => ({ values: items.map(value) });
  return { name, unit, better: 'less', sandpost: side(found.sandpost), mailpit: side(found.mailpit) };
}
