import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'vite';
import { valgrind } from './debian-tools.ts';

const kept = new URL('RESULTS-instructions.md', import.meta.url);
const entry = new URL('counted-work.ts', import.meta.url);
/** Without optimized code and parallel work, equal runs differ by 0.4 % at most, and by 2 % where sockets take part. */
const flags = [
  ...['--no-opt', '--no-maglev', '--no-sparkplug', '--no-regexp-tier-up'],
  ...['--predictable', '--hash-seed=1', '--random-seed=1'],
  // With a growing heap, a full collection falls into one part or another, by chance.
  ...['--initial-old-space-size=256', '--min-semi-space-size=4', '--max-semi-space-size=4'],
];
/** Ratio to the last release from which a line is printed. */
const tolerated = 1.03;

const usage = `usage: node test/bench/count-instructions.ts [--keep]
  Counts the instructions that parts of the program take, and prints those that take over 3 % more than in the last release
    --keep  makes these counts those of the last release
`;
const [option] = process.argv.slice(2);
if (option !== undefined && option !== '--keep') {
  process.stderr.write(usage);
  process.exit(2);
}

const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-instructions-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
// One file: reading and translating hundreds of modules would be most of the count.
await build({
  configFile: false,
  logLevel: 'error',
  build: { ssr: entry.pathname, outDir: path.join(folder, 'bundle'), minify: true, target: 'node24' },
  ssr: { noExternal: true },
});
const bundle = path.join(folder, 'bundle/counted-work.js');
// The program reads its version from there.
copyFileSync(new URL('../../package.json', import.meta.url), path.join(folder, 'package.json'));
// And loads a part of a package from there.
symlinkSync(new URL('../../node_modules', import.meta.url), path.join(folder, 'node_modules'));
// Kept for the counted run: compiling would take most of it.
run(process.execPath, [], process.env);
const { file, env } = valgrind();
const output = path.join(folder, 'count');
// Writes a file whenever the work calls uptime(), with the instructions since the last one.
const own = [
  '--tool=callgrind',
  '--dump-before=uv_uptime',
  `--callgrind-out-file=${output}`,
  '--log-file=/dev/null',
];
const counted = run(file, [...own, process.execPath], env);
const counts = new Map(
  counted.map(({ name, times }, at) => [name, countedIn(`${output}.${2 * at + 2}`) / times]),
);
const rows = [...counts].map(([name, count]) => `| ${name} | ${(count / 1e6).toFixed(2)} |`);
const before = new Map(
  Array.from(readFileSync(kept, 'utf8').matchAll(/^\| (.+?) \| ([\d.]+) \|$/gm), ([, name = '', count]) => [
    name,
    Number(count),
  ]),
);
for (const [name, count] of counts) {
  const ratio = count / 1e6 / (before.get(name) ?? Number.POSITIVE_INFINITY);
  const change = `${((ratio - 1) * 100).toFixed(1)} %`;
  if (ratio > tolerated)
    process.stdout.write(`slower than the last release: ${name}, ${change} more instructions\n`);
}
process.stdout.write(`${rows.join('\n')}\n`);
if (option === '--keep') writeFileSync(kept, `${heading()}${rows.join('\n')}\n`);

function run(program: string, args: string[], env: NodeJS.ProcessEnv): { name: string; times: number }[] {
  const all = [...args, ...flags, bundle];
  const cached = { ...env, NODE_COMPILE_CACHE: path.join(folder, 'compiled') };
  return JSON.parse(execFileSync(program, all, { env: cached, encoding: 'utf8' }));
}

function countedIn(dump: string): number {
  const [, total] = /^totals: (\d+)$/m.exec(readFileSync(dump, 'utf8')) ?? [];
  if (total === undefined) throw new Error(`valgrind wrote no total to ${dump}`);
  return Number(total);
}

function heading(): string {
  return `# Instructions

Written by \`node test/bench/count-instructions.ts --keep\`. Millions of instructions in V8's interpreter (Node ${process.version}), by
valgrind. Load on the machine changes them by about 2 % where sockets take part, and by less elsewhere.

| part of the program | million |
|---|---|
`;
}
