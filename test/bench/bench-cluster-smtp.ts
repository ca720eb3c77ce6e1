import { type Cluster, openUsers, startCluster } from './cluster-server.ts';
import { loadSmtp, type SmtpLoad } from './load.ts';
import { cpuMs } from './process-stats.ts';
import { atLeast, type Row, type Side } from './report.ts';
import { type Effort, scaled } from './rounds.ts';
import { openAccount, startMailpit } from './servers.ts';
import { median } from './statistics.ts';

const clients = 20;
const users = 20;

/** Measured values. `cpu` is processor time a mail in ms, `mailsABatch` and `retries` are averages over the batches. */
type Measured = { rate: number; latencies: number[]; cpu: number; mailsABatch: number; retries: number };
/** Server whose processor time is measured. Mailpit has no batches to count. */
type Measurable = { cpuMs(): number; commits?: Cluster['commits'] };
type Target = Pick<SmtpLoad, 'port' | 'to'>;

/** Measures mails of 4 KB over kept connections, into one SMTP process or two that share the clients. */
export async function benchClusterSmtp({ rounds, scale, profileTo }: Effort): Promise<Row[]> {
  await using servers = new AsyncDisposableStack();
  const mailpit = await startMailpit();
  servers.defer(mailpit.stop);
  const cluster = await startCluster(2, profileTo);
  servers.defer(cluster.stop);
  const spread = await spreadAccounts(cluster);
  const { recipient: hot, smtpPort: port, smtpPorts: both } = cluster;
  const mails = scaled(5000, { rounds, scale, profileTo }, 200);
  let first = 0;
  const send = async (target: Target, count = mails) => {
    const content = { first };
    first += count;
    return loadSmtp({ ...target, clients, mails: count, connections: 'kept', content });
  };
  const pit = { cpuMs: () => cpuMs(mailpit.pid) };
  const ours = (target: Target) => () => measure(cluster, mails, () => send(target));
  const cases = {
    mailpit: () => measure(pit, mails, () => send({ port: mailpit.smtpPort, to: mailpit.recipient })),
    one: ours({ port, to: hot }),
    two: ours({ port: both, to: hot }),
    spreadOne: ours({ port, to: spread }),
    spreadTwo: ours({ port: both, to: spread }),
  };
  // A first load lets the servers compile code, fill caches and grow before the first round.
  await send({ port: mailpit.smtpPort, to: mailpit.recipient });
  await send({ port: both, to: hot }, 2 * mails);
  const found = await inTurn(cases, rounds);

  const reference = ratesOf(found.mailpit);
  const costs = (name: string, measured: Measured[]): Row => ({
    name: `${name}: processor time a mail`,
    unit: 'ms',
    better: 'less',
    sandpost: { values: measured.map(({ cpu }) => cpu) },
    mailpit: { values: found.mailpit.map(({ cpu }) => cpu) },
  });
  const row = (name: string, measured: Measured[]): Omit<Row, 'target'> => ({
    name,
    unit: 'mails/s',
    better: 'more',
    sandpost: ratesOf(measured),
    mailpit: reference,
  });
  const { one, two, spreadOne, spreadTwo } = found;
  const over = `over ${users} users`;
  return [
    atLeast(0.6, row('one SMTP process, 20 clients, connection kept', one)),
    costs('one SMTP process', one),
    ...batchRows('one SMTP process', one),
    noFewer(one, row('two SMTP processes, one hot account', two)),
    costs('two, hot', two),
    ...batchRows('two, hot', two),
    row(`one SMTP process, spread ${over}`, spreadOne),
    costs('one, spread', spreadOne),
    ...batchRows('one, spread', spreadOne),
    noFewer(spreadOne, row(`two SMTP processes, spread ${over}`, spreadTwo)),
    costs('two, spread', spreadTwo),
    ...batchRows('two, spread', spreadTwo),
  ];
}

/** Makes an account for each of several users. */
async function spreadAccounts(cluster: Cluster): Promise<string[]> {
  const addresses: string[] = [];
  for (const user of await openUsers(cluster, users)) {
    const address = `qa@${user.domain}`;
    await openAccount(user, address);
    addresses.push(address);
  }
  return addresses;
}

async function measure(
  { cpuMs, commits }: Measurable,
  mails: number,
  send: () => ReturnType<typeof loadSmtp>,
): Promise<Measured> {
  const [before, cpuBefore] = [await commits?.(), cpuMs()];
  const { seconds, latencies } = await send();
  const cpu = (cpuMs() - cpuBefore) / mails;
  const after = await commits?.();
  const batches = (after?.batches ?? 0) - (before?.batches ?? 0);
  const retries = ((after?.retries ?? 0) - (before?.retries ?? 0)) / batches;
  return { rate: mails / seconds, latencies, cpu, mailsABatch: mails / batches, retries };
}

/** Measures case after case, round by round. The first case changes, so that none always follows the same one. */
async function inTurn<K extends string>(
  cases: Record<K, () => Promise<Measured>>,
  rounds: number,
): Promise<Record<K, Measured[]>> {
  const names = Object.keys(cases) as K[];
  const found = Object.fromEntries(names.map((name): [string, Measured[]] => [name, []])) as Record<
    K,
    Measured[]
  >;
  for (let round = 0; round < rounds; round++) {
    const turn = round % names.length;
    for (const name of [...names.slice(turn), ...names.slice(0, turn)]) {
      process.stderr.write(`  round ${round + 1} of ${rounds}, ${name}\n`);
      found[name].push(await cases[name]());
    }
  }
  return found;
}

function ratesOf(measured: Measured[]): Side {
  return {
    values: measured.map(({ rate }) => rate),
    latencies: measured.flatMap(({ latencies }) => latencies),
  };
}

/** Returns a row with the target that a second process does not lower the rate. */
function noFewer(one: Measured[], row: Omit<Row, 'target'>): Row {
  const times = median(row.sandpost.values) / median(ratesOf(one).values);
  return { ...row, target: { text: `no fewer than one process: ${times.toFixed(2)} ×`, met: times >= 1 } };
}

function batchRows(name: string, measured: Measured[]): Row[] {
  const row = (what: string, better: Row['better'], value: (round: Measured) => number): Row => ({
    name: `${name}: ${what} a batch`,
    unit: what,
    better,
    sandpost: { values: measured.map(value) },
    mailpit: null,
  });
  return [
    row('mails', 'more', ({ mailsABatch }) => mailsABatch),
    row('retries', 'less', ({ retries }) => retries),
  ];
}
