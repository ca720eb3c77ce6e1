import { eventLatencies, waitLatencies } from './event-latency.ts';
import type { Row, Side } from './report.ts';
import { alternate, type Effort, scaled, startPair } from './rounds.ts';
import { median, percentile } from './statistics.ts';

const rate = 100;

/** Measures the time from an email's 250 to its event, at 100 emails per second. */
export async function benchEvents(effort: Effort): Promise<Row[]> {
  await using pair = await startPair(effort);
  const mails = scaled(rate * 10, effort);
  let first = 0;
  const next = () => {
    const load = { mails, rate, first };
    first += mails;
    return load;
  };
  for (const server of [pair.sandpost, pair.mailpit]) await eventLatencies(server, next());
  const events = await alternate(effort.rounds, pair, (server) => eventLatencies(server, next()));
  const waits: number[][] = [];
  for (let round = 0; round < effort.rounds; round++) waits.push(await waitLatencies(pair.sandpost, next()));
  return [
    latencyRow('time from the 250 reply to the event, 100 emails/s', events.sandpost, events.mailpit),
    latencyRow('time from the 250 reply to the wait response, 100 emails/s', waits, null),
  ];
}

/** Returns a row of times with the targets for live events: p50 under 10 ms, p99 under 50 ms. */
export function latencyRow(name: string, sandpost: number[][], mailpit: number[][] | null): Row {
  const side = (rounds: number[][]): Side => ({ values: rounds.map(median), latencies: rounds.flat() });
  const ours = sandpost.flat();
  const met = percentile(ours, 0.5) < 10 && percentile(ours, 0.99) < 50;
  return {
    name,
    unit: 'ms',
    better: 'less',
    sandpost: side(sandpost),
    mailpit: mailpit && side(mailpit),
    target: { text: 'p50 < 10, p99 < 50 ms', met },
  };
}
