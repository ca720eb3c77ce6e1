import { mock } from 'node:test';

/**
 * Replacement of node:test that collects the tests of all loaded files, so that each can run any number of times in this
 * process. `before` and `after` hooks of a file run once, around all its tests.
 */
type Work = (context: TestContext) => unknown;
type Hooks = Record<'before' | 'after' | 'beforeEach' | 'afterEach', (() => unknown)[]>;
export type CollectedFile = { url: string; tests: CollectedTest[]; hooks: Hooks; began: boolean };
type CollectedTest = { name: string; work: Work };

/** Part of node:test's TestContext that tests use. */
class TestContext {
  readonly name: string;
  readonly mock: typeof mock = Reflect.construct(mock.constructor, []);
  readonly cleanups: (() => unknown)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  after(work: () => unknown): void {
    this.cleanups.push(work);
  }

  diagnostic(): void {}
}

export const files: CollectedFile[] = [];

export function beginFile(url: string): void {
  const hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
  files.push({ url, tests: [], hooks, began: false });
}

function current(): CollectedFile {
  const file = files.at(-1);
  if (file === undefined) throw new Error('a test outside of a file');
  return file;
}

export function test(name: string, ...rest: [Work] | [object, Work]): void {
  const work = rest.at(-1);
  const skipped = 'skip' in (rest[0] ?? {}) && (rest[0] as { skip: unknown }).skip;
  if (typeof work === 'function' && !skipped) current().tests.push({ name, work: work as Work });
}

export const suite = (_name: string, work: () => unknown) => work();
export const describe = suite;
export const before = (work: () => unknown) => current().hooks.before.push(work);
export const after = (work: () => unknown) => current().hooks.after.push(work);
export const beforeEach = (work: () => unknown) => current().hooks.beforeEach.push(work);
export const afterEach = (work: () => unknown) => current().hooks.afterEach.push(work);

/** Runs the hooks before the first test of a file. */
export async function beginTests(file: CollectedFile): Promise<void> {
  if (file.began) return;
  file.began = true;
  for (const hook of file.hooks.before) await hook();
}

export async function endTests(file: CollectedFile): Promise<void> {
  if (!file.began) return;
  file.began = false;
  for (const hook of file.hooks.after) await hook();
}

/** Runs one test. Throws its error. */
export async function runTest(file: CollectedFile, { name, work }: CollectedTest): Promise<void> {
  const context = new TestContext(name);
  try {
    for (const hook of file.hooks.beforeEach) await hook();
    await work(context);
  } finally {
    context.mock.reset();
    for (const cleanup of context.cleanups) await cleanup();
    for (const hook of file.hooks.afterEach) await hook();
  }
}
