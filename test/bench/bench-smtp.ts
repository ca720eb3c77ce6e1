import { loadSmtp, type SmtpLoad } from './load.ts';
import { cpuMs } from './process-stats.ts';
import { atLeast, type Row, type Side, under } from './report.ts';
import { alternate, type Effort, type Rounds, scaled, startPair } from './rounds.ts';
import type { Contender } from './servers.ts';
import { SmtpConnection } from './smtp-connection.ts';

const clients = 20;
const greetings = 100;

type Measured = { rate: number; latencies: number[]; cpu: number };

/** Measures the rate at which each server takes mails of 4 KB. */
export async function benchSmtp(effort: Effort): Promise<Row[]> {
  await using pair = await startPair(effort);
  let first = 0;
  const measure = async (
    server: Contender,
    connections: SmtpLoad['connections'],
    mails: number,
  ): Promise<Measured> => {
    const { smtpPort: port, recipient: to, pid } = server;
    const cpuBefore = cpuMs(pid);
    const outcome = await loadSmtp({ port, to, clients, mails, connections, content: { first } });
    first += mails;
    const { seconds, latencies } = outcome;
    return { rate: mails / seconds, latencies, cpu: (cpuMs(pid) - cpuBefore) / mails };
  };

  // A first load lets the servers compile code, fill caches and grow before the first round.
  for (const server of [pair.sandpost, pair.mailpit])
    await measure(server, 'kept', scaled(2000, effort, 200));
  const cases = [
    ['kept', '20 clients, connection kept', scaled(5000, effort, 200)],
    ['one-a-mail', '20 clients, one connection a mail', scaled(3000, effort, 200)],
  ] as const;
  const rows: Row[] = [];
  for (const [connections, name, mails] of cases) {
    const found = await alternate(effort.rounds, pair, (server) => measure(server, connections, mails));
    rows.push(...ratesOf(name, found));
  }
  const greeting = await alternate(effort.rounds, pair, greetingTimes);
  const perRound = (rounds: number[][]): Side => ({ values: rounds.flat(), latencies: rounds.flat() });
  const sides = { sandpost: perRound(greeting.sandpost), mailpit: perRound(greeting.mailpit) };
  rows.push(under(5, { name: 'greeting', unit: 'ms', better: 'less', ...sides }));
  return rows;
}

function ratesOf(name: string, found: Rounds<Measured>): Row[] {
  const rates = (rounds: Measured[]): Side => ({
    values: rounds.map(({ rate }) => rate),
    latencies: rounds.flatMap(({ latencies }) => latencies),
  });
  const cpus = (rounds: Measured[]): Side => ({ values: rounds.map(({ cpu }) => cpu) });
  return [
    atLeast(1, {
      name,
      unit: 'mails/s',
      better: 'more',
      sandpost: rates(found.sandpost),
      mailpit: rates(found.mailpit),
    }),
    {
      name: `${name}: processor time a mail`,
      unit: 'ms',
      better: 'less',
      sandpost: cpus(found.sandpost),
      mailpit: cpus(found.mailpit),
    },
  ];
}

/** Measures times in ms from connecting to the 220, one connection after the other. */
async function greetingTimes(server: Contender): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < greetings; count++) {
    const begun = performance.now();
    const connection = await SmtpConnection.open(server.smtpPort);
    times.push(performance.now() - begun);
    await connection.quit();
  }
  return times;
}
