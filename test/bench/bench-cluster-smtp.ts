import { loadBySmtpSource, type SourceLoad } from './cheap-clients.ts';
import { type Cluster, openUsers, startCluster } from './cluster-server.ts';
import { atLeast, type Row, type Side } from './report.ts';
import { type Effort, scaled } from './rounds.ts';
import { type Contender, openAccount, startMailpit } from './servers.ts';
import { median } from './statistics.ts';

const clients = 20;
const users = 20;

/** Measured values. `cpu` is CPU time per email in ms; `mailsABatch` and `retries` are averages over the batches. */
type Measured = { rate: number; cpu: number; mailsABatch: number; retries: number };
/** Server whose processor time is measured. Mailpit has no batches to count. */
type Measurable = Pick<Contender, 'cpuMs'> & { commits?: Cluster['commits'] };
/** Ports and recipients that the clients share. */
type Target = { ports: number[]; to: string[]; kept: boolean };

/** Measures 4 KB emails sent to one SMTP process, or to two that share the clients. */
export async function benchClusterSmtp({ rounds, scale, profileTo }: Effort): Promise<Row[]> {
  await using servers = new AsyncDisposableStack();
  const mailpit = await startMailpit();
  servers.defer(mailpit.stop);
  const cluster = await startCluster(2, profileTo);
  servers.defer(cluster.stop);
  const spread = await spreadAccounts(cluster);
  const { recipient, smtpPort, smtpPorts: both } = cluster;
  const mails = scaled(6000, { rounds, scale, profileTo }, 200);
  const [one, hot] = [[smtpPort], [recipient]];
  const pit = { ports: [mailpit.smtpPort], to: [mailpit.recipient] };
  const of = (server: Measurable, target: Target) => () => measure(server, mails, target);
  const cases = {
    mailpit: of(mailpit, { ...pit, kept: true }),
    mailpitSingle: of(mailpit, { ...pit, kept: false }),
    one: of(cluster, { ports: one, to: hot, kept: true }),
    single: of(cluster, { ports: one, to: hot, kept: false }),
    two: of(cluster, { ports: both, to: hot, kept: true }),
    spreadOne: of(cluster, { ports: one, to: spread, kept: true }),
    spreadTwo: of(cluster, { ports: both, to: spread, kept: true }),
  };
  // A warm-up load lets the servers compile code, fill caches and grow before the first round.
  await cases.mailpit();
  for (let count = 0; count < 2; count++) await cases.two();
  const found = await inTurn(cases, rounds);

  const row = (name: string, measured: Measured[], reference = found.mailpit): Omit<Row, 'target'> => ({
    name,
    unit: 'emails/s',
    better: 'more',
    sandpost: ratesOf(measured),
    mailpit: ratesOf(reference),
  });
  const costs = (name: string, measured: Measured[], reference = found.mailpit): Row => ({
    name: `${name}: CPU time per email`,
    unit: 'ms',
    better: 'less',
    sandpost: { values: measured.map(({ cpu }) => cpu) },
    mailpit: { values: reference.map(({ cpu }) => cpu) },
  });
  const over = `over ${users} users`;
  return [
    atLeast(0.8, row('one SMTP process, 20 clients, persistent connections', found.one)),
    costs('one SMTP process', found.one),
    ...batchRows('one SMTP process', found.one),
    atLeast(0.6, row('one SMTP process, one connection per email', found.single, found.mailpitSingle)),
    costs('one SMTP process, one connection per email', found.single, found.mailpitSingle),
    timesOneProcess(found.one, row('two SMTP processes, one busy account', found.two)),
    costs('two SMTP processes, one busy account', found.two),
    ...batchRows('two SMTP processes, one busy account', found.two),
    row(`one SMTP process, spread ${over}`, found.spreadOne),
    costs(`one SMTP process, spread ${over}`, found.spreadOne),
    ...batchRows(`one SMTP process, spread ${over}`, found.spreadOne),
    timesOneProcess(found.spreadOne, row(`two SMTP processes, spread ${over}`, found.spreadTwo)),
    costs(`two SMTP processes, spread ${over}`, found.spreadTwo),
    ...batchRows(`two SMTP processes, spread ${over}`, found.spreadTwo),
  ];
}

/** Creates an account for each of several users. */
async function spreadAccounts(cluster: Cluster): Promise<string[]> {
  const addresses: string[] = [];
  for (const user of await openUsers(cluster, users)) {
    const address = `qa@${user.domain}`;
    await openAccount(user, address);
    addresses.push(address);
  }
  return addresses;
}

async function measure(server: Measurable, mails: number, target: Target): Promise<Measured> {
  const [before, cpuBefore] = [await server.commits?.(), server.cpuMs()];
  const begun = performance.now();
  await Promise.all(sharesOf(target, mails).map(loadBySmtpSource));
  const seconds = (performance.now() - begun) / 1000;
  const cpu = (server.cpuMs() - cpuBefore) / mails;
  const after = await server.commits?.();
  const batches = (after?.batches ?? 0) - (before?.batches ?? 0);
  const retries = ((after?.retries ?? 0) - (before?.retries ?? 0)) / batches;
  return { rate: mails / seconds, cpu, mailsABatch: mails / batches, retries };
}

/** Distributes the clients and emails: one load for each recipient, and at least one for each port. */
function sharesOf({ ports, to, kept }: Target, mails: number): SourceLoad[] {
  const count = Math.max(ports.length, to.length);
  return Array.from({ length: count }, (_, index) => ({
    port: ports[index % ports.length] ?? 0,
    to: to[index % to.length] ?? '',
    clients: clients / count,
    mails: mails / count,
    kept,
  }));
}

/** Measures case after case, round by round. The first case changes, so no case always follows the same one. */
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
  return { values: measured.map(({ rate }) => rate) };
}

/** Returns a row with the target that a second process multiplies the rate by 1.2. */
function timesOneProcess(one: Measured[], row: Omit<Row, 'target'>): Row {
  const times = median(row.sandpost.values) / median(ratesOf(one).values);
  return { ...row, target: { text: `at least 1.2 × one process: ${times.toFixed(2)}`, met: times >= 1.2 } };
}

function batchRows(name: string, measured: Measured[]): Row[] {
  const row = (what: string, better: Row['better'], value: (round: Measured) => number): Row => ({
    name: `${name}: ${what} per batch`,
    unit: what,
    better,
    sandpost: { values: measured.map(value) },
    mailpit: null,
  });
  return [
    row('emails', 'more', ({ mailsABatch }) => mailsABatch),
    row('retries', 'less', ({ retries }) => retries),
  ];
}
