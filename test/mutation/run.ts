import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMongod } from '#test/support/stores/mongod.ts';
import { type Target, targets } from './targets.ts';

/**
 * Changes one operator, condition or value after the other in a copy of the program, by StrykerJS, and prints each change
 * that the nearest tests do not see. `npm run mutation -- core/messages` does so for the sources with this in their path.
 * It takes a second or more for each change, so it is no part of CI.
 */
const stryker = '@stryker-mutator/core@10.1.1';

const wanted = process.argv.slice(2);
const chosen = targets.filter(
  ({ source }) => wanted.length === 0 || wanted.some((part) => source.includes(part)),
);
if (chosen.length === 0)
  throw new Error(`no source with tests has one of these in its path: ${wanted.join(' ')}`);

const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-mutation-'));
const mongo = await startMongod();
try {
  for (const target of chosen) await mutate(target);
} finally {
  await mongo.close();
  await mongo.server?.remove();
  await rm(folder, { recursive: true, force: true });
}

async function mutate({ source, tests }: Target): Promise<void> {
  process.stdout.write(`\n== ${source}: ${tests.join(', ')}\n`);
  const configFile = path.join(folder, 'stryker.json');
  await writeFile(configFile, JSON.stringify(configOf(source, tests)));
  const child = spawn('npx', ['--yes', `--package=${stryker}`, 'stryker', 'run', configFile], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SANDPOST_TEST_MONGODB_URI: mongo.uri },
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`StrykerJS could not work on ${source}: it ended with ${status}`);
}

function configOf(source: string, tests: string[]) {
  // Conformance tests carry the name of the store.
  const store = /^core\/adapters\/stores\/(sqlite|mongo)\//.exec(source)?.[1];
  const ofStore = tests.some((test) => test.startsWith('test/conformance/'))
    ? `--test-name-pattern=^${store}`
    : '';
  return {
    mutate: [source],
    testRunner: 'command',
    commandRunner: { command: `node --test ${ofStore} ${tests.join(' ')}` },
    concurrency: 1,
    timeoutMS: 20_000,
    // Words of messages and of SQL: an empty one either changes what nobody reads, or breaks at once.
    mutator: { excludedMutations: ['StringLiteral'] },
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    // TypeScript 7 has no API in JavaScript that could rewrite one.
    tsconfigFile: 'none',
    // It cannot copy links to folders, of which these are or hold one.
    ignorePatterns: ['charts', 'crds', 'data'],
    tempDirName: path.join(folder, 'copies'),
    allowEmpty: true,
    checkers: [],
  };
}
