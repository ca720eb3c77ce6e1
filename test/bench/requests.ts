import { loadByWrk } from './cheap-clients.ts';
import type { Row, Side } from './report.ts';
import type { Rounds } from './rounds.ts';
import type { Contender } from './servers.ts';
import { median } from './statistics.ts';

/** Request latencies in ms, and the server's processor time per request in ms. */
export type Times = { p50: number; p99: number; cpu: number };
/** Rate in requests/s, and the client's CPU time per request in ms. */
export type Measured = Times & { rate: number; clientCpu: number };

/** Load of requests for the paths in turn. */
type Requests = { paths: string[]; clients: number; seconds: number };

export async function measureRequests(server: Contender, requests: Requests): Promise<Measured> {
  const { httpPort: port, headers } = server;
  const before = server.cpuMs();
  const { count, clientCpuMs, ...outcome } = await loadByWrk({ port, headers, ...requests });
  const { p50, p99 } = outcome;
  const rate = count / outcome.seconds;
  return { rate, p50, p99, cpu: (server.cpuMs() - before) / count, clientCpu: clientCpuMs / count };
}

/** Returns a row of single-request times in ms, by each round's median. */
export function timesOf(name: string, found: Rounds<Times>): Row {
  const side = (rounds: Times[]): Side => ({
    values: rounds.map(({ p50 }) => p50),
    percentiles: [median(rounds.map(({ p50 }) => p50)), median(rounds.map(({ p99 }) => p99))],
  });
  return { name, unit: 'ms', better: 'less', sandpost: side(found.sandpost), mailpit: side(found.mailpit) };
}

/** Returns a row of the server's CPU time per request in ms. */
export function costOf(name: string, found: Rounds<Times>): Row {
  return { name: `${name}: CPU time per request`, unit: 'ms', better: 'less', ...sidesOf(found, 'cpu') };
}

/** Returns a row of the client's CPU time per request in ms. */
export function clientCostOf(name: string, found: Rounds<Measured>): Row {
  const named = `${name}: client CPU time`;
  return { name: named, unit: 'ms', better: 'less', ...sidesOf(found, 'clientCpu') };
}

function sidesOf<K extends string>({ sandpost, mailpit }: Rounds<Record<K, number>>, field: K) {
  const side = (rounds: Record<K, number>[]): Side => ({ values: rounds.map((round) => round[field]) });
  return { sandpost: side(sandpost), mailpit: side(mailpit) };
}
