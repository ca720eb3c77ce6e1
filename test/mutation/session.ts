import { beginFile, beginTests, type CollectedFile, endTests, files, runTest } from './collector.ts';
import { type Ask, changeVariable, filesVariable, noChange, type Outcome, type Ready } from './plan.ts';
import { activate, plan, takeReached } from './switches.ts';

/** Process that loads files of tests once, and runs a test under a change at each request of its parent. */
const fromStart = Number(process.env[changeVariable] ?? noChange);
const noLimit = 2 ** 31 - 1;
const send = (message: Ready | Outcome) => process.send?.(message);

/** Fails the running test with an error that nobody caught. */
let fail: (error: unknown) => void = (error) => {
  throw error;
};
process.on('unhandledRejection', (error) => fail(error));
process.on('uncaughtException', (error) => fail(error));

for (const url of process.env[filesVariable]?.split(',') ?? plan.tests) {
  beginFile(url);
  await import(url);
}
const tests = files.flatMap((file) =>
  file.tests.map((test, place) => ({ file: file.url, place, name: test.name })),
);
fail = () => {};

process.on('message', (ask: Ask | 'end') => {
  if (ask === 'end') void end();
  else void answer(ask);
});
send({
  tests: tests.filter(({ name }) => !plan.withoutStores.some((store) => name.startsWith(`${store}: `))),
  reached: takeReached(),
});

async function answer({ file: url, place, change, limit, renew }: Ask): Promise<void> {
  const file = files.find((candidate) => candidate.url === url);
  const test = file?.tests[place];
  if (file === undefined || test === undefined) throw new Error(`${url} has no test ${place}`);
  const reason = await under(async () => {
    await begin(file, renew);
    activate(change, limit);
    takeReached();
    await runTest(file, test);
  });
  const reached = change === noChange ? takeReached() : [];
  activate(fromStart, noLimit);
  send({ ok: reason === null, reason: reason ?? '', hung: false, reached });
}

/** Runs the hooks of a file, without a change or with the one that was active from the start. */
async function begin(file: CollectedFile, renew: boolean): Promise<void> {
  activate(fromStart, noLimit);
  if (renew) await endTests(file);
  await beginTests(file);
}

/** Returns the error message of failed work, or null. Work that waits while nothing is left to happen has failed. */
async function under(work: () => Promise<void>): Promise<string | null> {
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const idle = () => fail(new Error('it waits for nothing that could happen'));
  process.once('beforeExit', idle);
  process.channel?.unref();
  try {
    await Promise.race([work(), failure]);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    process.channel?.ref();
    process.off('beforeExit', idle);
    fail = () => {};
  }
}

async function end(): Promise<void> {
  activate(noChange, noLimit);
  for (const file of files) await endTests(file);
  process.exit(0);
}
