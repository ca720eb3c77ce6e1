import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs mixed honest and hostile load on both stores at the same time, or on one: `npm run soak -- --minutes 30 --store embedded`.
 * Writes the report of a run that lasts at least 30 minutes to test/bench/RESULTS-soak.md.
 */
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, store: { type: 'string' } },
});
const minutes = Number(values.minutes);
const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-soak-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const results = await Promise.all(
  (values.store === undefined ? ['embedded', 'mongodb'] : [values.store]).map(soak),
);
const table = tableOf(results);
process.stdout.write(table);
if (minutes >= 30) writeFileSync(new URL('../bench/RESULTS-soak.md', import.meta.url), table);

async function soak(store: string) {
  const file = path.join(folder, store);
  const env = {
    ...process.env,
    SANDPOST_TEST_STORE: store,
    SANDPOST_SOAK_MINUTES: String(minutes),
    SANDPOST_SOAK_RESULT: file,
  };
  const child = spawn(process.execPath, ['--test', 'test/soak/soak.ts'], { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exitCode = 1;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { store: `${store}, which failed` };
}

/** Returns a Markdown table with a column for each store. */
function tableOf(columns: Record<string, unknown>[]): string {
  const rows: [string, string][] = [
    ['minutes', 'minutes'],
    ['rounds of all attacks', 'rounds'],
    ['honest emails answered with 250', 'mails'],
    ['of them stored', 'stored'],
    ['events, each once and in order', 'events'],
    ['honest requests', 'answers'],
    ['searches among them that took too long', 'timedOut'],
    ['median answer, ms', 'medianMs'],
    ['99th percentile, ms', 'p99Ms'],
    ['slowest, ms', 'slowestMs'],
    ['memory before any attack, MB', 'memory.rest'],
    ['peak, MB', 'memory.most'],
    ['median at the beginning of the last third, MB', 'memory.begin'],
    ['median at the end, MB', 'memory.end'],
    ['open files after one round of attacks', 'rest.files'],
    ['open files at the end', 'settled.files'],
    ['threads after one round', 'rest.threads'],
    ['threads at the end', 'settled.threads'],
    ["timers after one round (Node's count)", 'rest.resources.Timeout'],
    ['timers at the end', 'settled.resources.Timeout'],
  ];
  const cell = (column: unknown, key: string): string => {
    let value = column;
    for (const name of key.split('.'))
      value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
    return typeof value === 'number'
      ? value.toLocaleString('en', { maximumFractionDigits: 1 })
      : String(value ?? 0);
  };
  const lines = rows.map(
    ([title, key]) => `| ${title} | ${columns.map((column) => cell(column, key)).join(' | ')} |`,
  );
  const heads = columns.map(({ store }) => String(store));
  return [
    '# Soak',
    '',
    `Written by \`npm run soak\`, ${new Date().toISOString().slice(0, 10)}: both stores at the same time on one machine with two cores.`,
    'Two senders and four readers are honest. Attacks run alongside them, one after the other (`test/soak/attacks.ts`).',
    '',
    `| | ${heads.join(' | ')} |`,
    `|---|${heads.map(() => '---|').join('')}`,
    ...lines,
    '',
  ].join('\n');
}
