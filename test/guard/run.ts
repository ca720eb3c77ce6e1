import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { startMongod } from '#test/support/stores/mongod.ts';
import { type Break, breaks } from './breaks.ts';

/**
 * Guards the tests. Breaks copies of the program, each in one place after another, and runs the test file that must find the break as
 * `npm test` does. Exits with 1 if a break is not found, if an unbroken copy fails, or if a break no longer matches the source.
 */
const root = path.resolve(import.meta.dirname, '../..');
const notCopied = new Set(['.git', 'node_modules', 'data']);

/** All runs share one mongod because its start takes longer than most of them. */
const mongod = await startMongod(1);
/** Numbers of the copies, one per processor, which a run mostly uses. */
const places = Array.from({ length: Math.min(4, availableParallelism()) }, (_, place) => place);
const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-guard-'));
try {
  const copies = await Promise.all(places.map((place) => makeCopy(path.join(folder, `${place}`))));
  const tests = [...new Set(breaks.map(({ test }) => test))];
  const queue = [...breaks];
  await Promise.all(
    copies.map(async (copy, place) => {
      const own = tests.filter((_, at) => at % copies.length === place);
      const { status, output } = await runTests(copy, own);
      if (status !== 0) fail(`the tests fail on an unbroken copy:\n${output}`);
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) await tryBreak(copy, one);
    }),
  );
} finally {
  await rm(folder, { recursive: true });
  await mongod.close();
}

async function makeCopy(copy: string): Promise<string> {
  await cp(root, copy, {
    recursive: true,
    // The page counts as built while its files are newer than its sources.
    preserveTimestamps: true,
    filter: (from) => !notCopied.has(path.relative(root, from)),
  });
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

async function tryBreak(copy: string, { file, text, replacement, test }: Break): Promise<void> {
  const source = await readFile(path.join(copy, file), 'utf8');
  const pieces = source.split(text);
  if (pieces.length !== 2) return fail(`${file} has this text ${pieces.length - 1} times, not once: ${text}`);
  await writeFile(path.join(copy, file), pieces.join(replacement));
  const { status, output } = await runTests(copy, [test]);
  await writeFile(path.join(copy, file), source);
  if (status === 0) return fail(`${file}, ${text}: ${test} did not find the break\n${output}`);
  process.stdout.write(`✔ ${file}: ${test} found the break\n`);
}

/** Runs a copy's test files with the real runner. Returns its exit code and output. */
async function runTests(copy: string, parts: string[]): Promise<{ status: number | null; output: string }> {
  // A build takes longer than most of these tests, few of which start the program.
  const child = spawn(process.execPath, ['test/run.ts', '--unbuilt', ...parts], {
    cwd: copy,
    // Removed with the copy: its paths are never used again.
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: path.join(copy, 'compiled'),
      SANDPOST_TEST_MONGODB_URI: mongod.uri,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return { status, output };
}

function fail(reason: string): void {
  process.stdout.write(`✖ ${reason}\n`);
  process.exitCode = 1;
}
