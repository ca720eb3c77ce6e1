import { loadByWrk } from './cheap-clients.ts';
import type { Row, Side } from './report.ts';
import type { Rounds } from './rounds.ts';
import type { Contender } from './servers.ts';
import { median } from './statistics.ts';

/** Rate in requests/s, latencies in ms, and processor time a request in ms, of the server and of the client. */
export type Measured = { rate: number; p50: number; p99: number; cpu: number; clientCpu: number };

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

/** Returns a row of times of single requests in ms, by the median of each round. */
export function timesOf(name: string, found: Rounds<Measured>): Row {
  const side = (rounds: Measured[]): Side => ({
    values: rounds.map(({ p50 }) => p50),
    percentiles: [median(rounds.map(({ p50 }) => p50)), median(rounds.map(({ p99 }) => p99))],
  });
  return { name, unit: 'ms', better: 'less', sandpost: side(found.sandpost), mailpit: side(found.mailpit) };
}

/** Returns a row of processor time a request in ms: of the server, or of the client. */
export function costOf(name: string, found: Rounds<Measured>, of: 'cpu' | 'clientCpu' = 'cpu'): Row {
  const side = (rounds: Measured[]): Side => ({ values: rounds.map((round) => round[of]) });
  const whose = of === 'cpu' ? 'processor time a request' : 'processor time of the client';
  const sides = { sandpost: side(found.sandpost), mailpit: side(found.mailpit) };
  return { name: `${name}: ${whose}`, unit: 'ms', better: 'less', ...sides };
}
