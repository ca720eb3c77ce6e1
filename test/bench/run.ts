import { parseArgs } from 'node:util';
import { benchCluster } from './bench-cluster.ts';
import { benchMillion } from './bench-cluster-million.ts';
import { benchEvents } from './bench-events.ts';
import { benchGrowth } from './bench-growth.ts';
import { benchMailbox } from './bench-mailbox.ts';
import { benchMemory } from './bench-memory.ts';
import { benchOperators } from './bench-operators.ts';
import { benchSmtp } from './bench-smtp.ts';
import { keepResults, reportOf, type Section } from './results.ts';
import type { Effort } from './rounds.ts';

const sections: Record<string, [string, (effort: Effort) => Promise<Section['rows']>]> = {
  smtp: ['Receiving mail', benchSmtp],
  events: ['Event latency', benchEvents],
  mailbox: ['One large mailbox', benchMailbox],
  operators: ['Operator searches in one mailbox', benchOperators],
  memory: ['Memory', benchMemory],
  cluster: ['The cluster store', benchCluster],
  growth: ['A million messages in one account', benchGrowth],
  million: ['A million messages in the cluster store', benchMillion],
};
/** Sections that take long, run only if named, and have separate result files. */
const onDemand = ['cluster', 'growth', 'million'];

const usage = `usage: npm run bench -- [${Object.keys(sections).join('] [')}] [--rounds 5] [--quick] [--profile folder]
  cluster, growth, million  take up to 20 minutes each, and run only if you name them
  --quick    one round with a tenth of the emails, to check that it works
  --profile  folder for Sandpost's CPU profiles
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
if (values.help || !Number.isInteger(rounds) || rounds < 1 || positionals.some((name) => !sections[name])) {
  process.stderr.write(usage);
  process.exit(values.help ? 0 : 2);
}
// An interrupted bench also ends its servers: they are killed when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const effort: Effort = { rounds, scale: values.quick ? 0.1 : 1, profileTo: values.profile };
const done: Section[] = [];
for (const [name, [title, bench]] of Object.entries(sections)) {
  const wanted = positionals.length > 0 ? positionals.includes(name) : !onDemand.includes(name);
  if (!wanted) continue;
  process.stderr.write(`${title}\n`);
  done.push({ title, rows: await bench(effort) });
}
process.stdout.write(reportOf(done, rounds, new Date()));
// Saves results only from complete sections with enough rounds.
const usual = Object.keys(sections).filter((name) => !onDemand.includes(name));
if (rounds >= 5 && !values.quick) {
  keep('RESULTS.md', usual);
  for (const name of onDemand) keep(`RESULTS-${name}.md`, [name]);
}

function keep(file: string, names: string[]): void {
  const titles = names.map((name) => sections[name]?.[0]);
  const measured = done.filter(({ title }) => titles.includes(title));
  if (measured.length === names.length) keepResults(file, reportOf(measured, rounds, new Date()));
}
