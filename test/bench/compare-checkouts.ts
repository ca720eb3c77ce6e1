import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './statistics.ts';

const usage = `usage: node test/bench/compare-checkouts.ts <folder before> <folder after> [section]… [--rounds 5] [--quick]
  Runs the benchmark in both checkouts in turn, and prints how much slower each Sandpost value is after the change. Both
  checkouts need node_modules and a built page.
`;

/** Value in a table line, with its unit. */
type Line = { unit: string; value: number };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
});
const [before, after, ...sections] = positionals;
const rounds = Number(values.rounds);
if (before === undefined || after === undefined || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(usage);
  process.exit(2);
}

/** Runs one round of a checkout's bench. Throws if it fails. */
function measure(checkout: string): Map<string, Line> {
  const args = ['test/bench/run.ts', ...sections, '--rounds', '1', ...(values.quick ? ['--quick'] : [])];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: path.resolve(checkout),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`the bench of ${checkout} failed`);
  return linesOf(stdout);
}

/** Reads a report's lines by section and name. */
function linesOf(report: string): Map<string, Line> {
  const lines = new Map<string, Line>();
  let section = '';
  for (const text of report.split('\n')) {
    if (text.startsWith('## ')) section = text.slice(3);
    const [, name = '', unit = '', figure = ''] = text.split('|').map((cell) => cell.trim());
    const value = Number(figure.replaceAll(',', ''));
    if (figure !== '' && Number.isFinite(value)) lines.set(`${section}: ${name}`, { unit, value });
  }
  return lines;
}

/** Returns the ratio by which a line is worse. Higher rates are better. */
function worse(old: Line, now: Line): number {
  return /\/s$|^emails$/.test(old.unit) ? old.value / now.value : now.value / old.value;
}

const ratios = new Map<string, number[]>();
for (let round = 0; round < rounds; round++) {
  process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  // The first checkout changes, so neither always follows the other.
  const order = round % 2 === 0 ? [before, after] : [after, before];
  const found = new Map(order.map((checkout) => [checkout, measure(checkout)]));
  for (const [name, old] of found.get(before) ?? []) {
    const now = found.get(after)?.get(name);
    if (now !== undefined) ratios.set(name, [...(ratios.get(name) ?? []), worse(old, now)]);
  }
}
const rows = [...ratios].map(([name, all]): [string, number[], number] => [name, all, median(all)]);
for (const [name, all, middle] of rows.sort(([, , a], [, , b]) => b - a)) {
  const each = all.map((ratio) => ratio.toFixed(2)).join(' ');
  process.stdout.write(`${middle.toFixed(3)} ${middle > 1.03 ? 'SLOWER' : '      '} ${name} (${each})\n`);
}
