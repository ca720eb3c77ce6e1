import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startMongod } from '#test/support/stores/mongod.ts';
import { type Change, instrument } from './instrument.ts';
import { Judge, type Verdict } from './judge.ts';
import type { Plan } from './plan.ts';
import { Runner } from './runner.ts';
import { type Target, targets } from './targets.ts';

/**
 * Changes one operator, condition or value after the other in the sources of the core, by StrykerJS's instrumenter, and
 * prints each change that the nearest tests do not notice. `npm run mutation -- core/messages` does so for the sources with
 * this in their path, and `--every 10` for a sample of one change in ten. Each change takes a tenth of a second or more, so
 * this is no part of CI.
 */
const { values, positionals: wanted } = parseArgs({
  options: { every: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const every = Number(values.every);
const isWanted = (source: string) => wanted.length === 0 || wanted.some((part) => source.includes(part));
const chosen = targets
  .map((target) => ({ ...target, sources: target.sources.filter(isWanted) }))
  .filter(({ sources }) => sources.length > 0);
if (chosen.length === 0) throw new Error(`no source has one of these in its path: ${wanted.join(' ')}`);

// Temporary files are kept in memory, if possible: tests would wait for the disk otherwise.
if (existsSync('/dev/shm')) process.env.TMPDIR = '/dev/shm';
const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-mutation-'));
try {
  for (const target of chosen) await mutate(target);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function mutate(target: Target): Promise<void> {
  const own = path.join(folder, target.name);
  await mkdir(own);
  const { changes, copies } = await instrument(target.sources, own);
  const plan: Plan = {
    sources: copies,
    tests: target.tests.map((test) => pathToFileURL(test).href),
    withoutStores: [target.store === 'sqlite' ? 'mongodb' : 'sqlite', 'mongodb without caches'],
    changes: Math.max(0, ...changes.map(({ number }) => number)) + 1,
  };
  const planFile = path.join(own, 'plan.json');
  await writeFile(planFile, JSON.stringify(plan));
  const mongo = target.store === 'mongodb' ? await startMongod() : null;
  const env = {
    NODE_COMPILE_CACHE: path.join(folder, 'compiled'),
    ...(mongo && { SANDPOST_TEST_MONGODB_URI: mongo.uri }),
  };
  const runner = new Runner(planFile, env);
  try {
    const judge = new Judge(runner, changes, ({ source }) =>
      target.fresh.some((part) => source.includes(part)),
    );
    const tests = await judge.measure();
    process.stdout.write(`\n${target.name}: ${changes.length} changes, ${tests.length} tests\n`);
    for (const source of target.sources) {
      const own = changes.filter((change) => change.source === source && change.number % every === 0);
      await report(source, own, judge);
    }
  } finally {
    await runner.end();
    await mongo?.close();
    await mongo?.server?.remove();
  }
}

async function report(source: string, changes: Change[], judge: Judge): Promise<void> {
  const counts = { seen: 0, 'not seen': 0, 'not reached': 0 };
  const began = performance.now();
  for await (const verdict of judge.judge(changes)) {
    counts[verdict.fate] += 1;
    if (verdict.fate !== 'seen') process.stdout.write(lineOf(verdict));
  }
  const { seen, 'not seen': notSeen, 'not reached': notReached } = counts;
  const seconds = Math.round((performance.now() - began) / 1000);
  process.stdout.write(
    `== ${source}: ${changes.length} changes, ${seen} seen, ${notSeen} not seen, ${notReached} not reached (${seconds} s)\n`,
  );
}

function lineOf({ change: { source, line, from, to }, fate }: Verdict): string {
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 160);
  return `${source}:${line} ${fate}: ${short(from)} -> ${short(to)}\n`;
}
