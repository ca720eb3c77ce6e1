import { loadBySmtpSource } from './cheap-clients.ts';
import { loadSmtp, type SmtpLoad } from './load.ts';
import { atLeast, type Row, type Side, under } from './report.ts';
import { alternate, type Effort, type Rounds, scaled, startPair } from './rounds.ts';
import type { Contender } from './servers.ts';
import { SmtpConnection } from './smtp-connection.ts';

const clients = 20;
const greetings = 100;

/** Rate in emails/s, and CPU time per email in ms. */
type Measured = { rate: number; cpu: number; clientCpu: number };

/** Measures the rate at which each server accepts 4 KB emails, and the times that a client waits for an email's 250. */
export async function benchSmtp(effort: Effort): Promise<Row[]> {
  await using pair = await startPair(effort);
  // A warm-up load lets the servers compile code, fill caches and grow before the first round.
  for (const server of [pair.sandpost, pair.mailpit]) await measure(server, true, scaled(5000, effort, 200));
  const kept = scaled(10_000, effort, 200);
  const single = scaled(6000, effort, 200);
  const rows = [
    ...ratesOf(
      1.2,
      '20 clients, persistent connections',
      await alternate(effort.rounds, pair, (server) => measure(server, true, kept)),
    ),
    ...ratesOf(
      1,
      '20 clients, one connection per email',
      await alternate(effort.rounds, pair, (server) => measure(server, false, single)),
    ),
  ];
  let first = 0;
  const wait = (connections: SmtpLoad['connections']) =>
    alternate(effort.rounds, pair, async ({ smtpPort: port, recipient: to }) => {
      const mails = scaled(3000, effort, 200);
      const content = { first };
      first += mails;
      return (await loadSmtp({ port, to, clients, mails, connections, content })).latencies;
    });
  rows.push(timesOf('time to the 250 reply, persistent connections', await wait('kept')));
  rows.push(timesOf('time to the 250 reply, one connection per email', await wait('one-a-mail')));
  rows.push(under(5, timesOf('greeting', await alternate(effort.rounds, pair, greetingTimes))));
  return rows;
}

async function measure(server: Contender, kept: boolean, mails: number): Promise<Measured> {
  const { smtpPort: port, recipient: to } = server;
  const before = server.cpuMs();
  const { seconds, clientCpuMs } = await loadBySmtpSource({ port, to, clients, mails, kept });
  return { rate: mails / seconds, cpu: (server.cpuMs() - before) / mails, clientCpu: clientCpuMs / mails };
}

/** Returns the rows for a rate, for the server's CPU time per email, and for the client's. */
function ratesOf(times: number, name: string, found: Rounds<Measured>): Row[] {
  const of = (value: (round: Measured) => number) => ({
    sandpost: { values: found.sandpost.map(value) },
    mailpit: { values: found.mailpit.map(value) },
  });
  const cost = { unit: 'ms', better: 'less' as const };
  return [
    atLeast(times, { name, unit: 'emails/s', better: 'more', ...of(({ rate }) => rate) }),
    under(1, { name: `${name}: CPU time per email`, ...cost, ...of(({ cpu }) => cpu) }),
    { name: `${name}: client CPU time`, ...cost, ...of(({ clientCpu }) => clientCpu) },
  ];
}

/** Returns a row of times in ms, with one list per round. */
function timesOf(name: string, found: Rounds<number[]>): Row {
  const side = (rounds: number[][]): Side => ({ values: rounds.flat(), latencies: rounds.flat() });
  return { name, unit: 'ms', better: 'less', sandpost: side(found.sandpost), mailpit: side(found.mailpit) };
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
