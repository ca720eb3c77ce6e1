import { fill } from './bench-mailbox.ts';
import { callJson } from './http-client.ts';
import { loadHttp } from './load.ts';
import { marks } from './mixed-mails.ts';
import { atLeast, type Row } from './report.ts';
import { costOf, type Times, timesOf } from './requests.ts';
import { alternate, type Effort, type StartSandpost, scaled, startPair } from './rounds.ts';
import type { Contender } from './servers.ts';
import { percentile } from './statistics.ts';

/** Search, and Mailpit's spelling if it differs. */
type Search = { q: string; theirs?: string };

/** Searches that a Sandpost index answers. */
const indexed: Search[] = [
  { q: 'is:unread' },
  { q: 'is:read' },
  { q: 'has:attachment' },
  { q: '-has:attachment' },
  { q: `tag:${marks.tag}` },
  { q: `-tag:${marks.tag}` },
  { q: 'tag:nobody-set-this' },
  { q: `address:qa+${marks.run}@bench.test`, theirs: `to:qa+${marks.run}@bench.test` },
  { q: 'is:unread has:attachment' },
];

/** Searches that read messages. `AFTER` stands for the time by which four fifths of the emails had arrived. */
const others: Search[] = [
  { q: `subject:${marks.subject}` },
  { q: `-subject:${marks.subject}` },
  { q: `from:${marks.from}` },
  { q: 'to:bench.test' },
  { q: `cc:${marks.cc}` },
  { q: 'message-id:00000042.mixed@sender.example' },
  { q: 'larger:8k' },
  { q: 'smaller:8k' },
  { q: 'after:AFTER' },
  { q: 'before:AFTER' },
  { q: `"${marks.phrase}"` },
  { q: `-"${marks.phrase}"` },
  { q: 'from:shop subject:order neighbor' },
  { q: `has:attachment from:shop -${marks.subject}` },
  { q: `tag:${marks.tag} subject:order` },
];

/** Measures searches on the embedded store. */
export function benchOperators(effort: Effort): Promise<Row[]> {
  return benchSearches(effort, { targets: { indexed: 20, others: 2 } });
}

/**
 * Measures operator searches in one mailbox of 50,000 mixed messages. `targets` are ratios to Mailpit. Throws if the servers do not find
 * the same number.
 */
export async function benchSearches(
  effort: Effort,
  { start, targets }: { start?: StartSandpost; targets?: { indexed: number; others: number } },
): Promise<Row[]> {
  await using pair = await startPair(effort, start);
  const messages = scaled(50_000, effort, 500);
  const times = new Map<Contender['name'], string>();
  for (const server of [pair.sandpost, pair.mailpit]) {
    const filled = await fill(server, messages, true);
    const [oldest = new Date(), ...later] = filled.times;
    await markRead(server, oldest);
    times.set(server.name, later.at(-2)?.toISOString() ?? '');
  }
  const pathOf = ({ name, paths }: Contender, { q, theirs = q }: Search) =>
    paths.search((name === 'Sandpost' ? q : theirs).replace('AFTER', times.get(name) ?? ''));

  const seconds = scaled(2, effort, 1);
  const rowsOf = async (search: Search, least = 0): Promise<Row[]> => {
    const [found, theirs] = await Promise.all(
      [pair.sandpost, pair.mailpit].map((server) => countOf(server, pathOf(server, search))),
    );
    if (found !== theirs) throw new Error(`${search.q}: Sandpost finds ${found}, Mailpit ${theirs}`);
    const measured = await alternate(effort.rounds, pair, (server) =>
      measure(server, pathOf(server, search), seconds),
    );
    const name = `\`${search.q.replace('AFTER', '…')}\` (matches: ${found?.toLocaleString('en-US')})`;
    const row = timesOf(name, measured);
    return [least > 0 ? atLeast(least, row) : row, costOf(name, measured)];
  };
  const rows: Row[] = [];
  for (const search of indexed) rows.push(...(await rowsOf(search, targets?.indexed)));
  for (const search of others) rows.push(...(await rowsOf(search, targets?.others)));
  return rows;
}

/** Measures one request after the other. At least one is answered, however long it takes. */
async function measure(server: Contender, path: string, seconds: number): Promise<Times> {
  const { httpPort: port, headers } = server;
  const before = server.cpuMs();
  const { latencies } = await loadHttp({ port, headers, paths: [path], clients: 1, seconds });
  return {
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: (server.cpuMs() - before) / latencies.length,
  };
}

/** Returns the number of messages that a search finds. */
async function countOf(server: Contender, path: string): Promise<number> {
  type Found = { pagination?: { total: number }; messages_count?: number };
  const { pagination, messages_count: count = -1 } = await callJson<Found>(server, 'GET', path);
  return pagination?.total ?? count;
}

/** Marks messages that arrived before a time as read. Throws unless the response is 200. */
async function markRead({ name, httpPort, headers }: Contender, time: Date): Promise<void> {
  const q = `before:${time.toISOString()}`;
  const [method, path, body] =
    name === 'Sandpost'
      ? ['POST', '/api/messages/bulk', { q, action: 'read' }]
      : ['PUT', '/api/v1/messages', { Search: q, Read: true }];
  const answer = await fetch(`http://127.0.0.1:${httpPort}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${await answer.text()}`);
  await answer.body?.cancel();
}
