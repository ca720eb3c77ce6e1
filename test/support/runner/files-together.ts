import path from 'node:path';
import { after, suite } from 'node:test';

/**
 * Runs the test files that SANDPOST_TEST_FILES names, one a line, in this one process, each in a suite with its path. A file is loaded
 * when the one before it has ended: what the first has loaded serves all.
 */
const files = (process.env.SANDPOST_TEST_FILES ?? '').split('\n');

// Loaded by one of the files, their hooks would close at the end of that file what all of them use. Those of the process run only when
// nothing is open any more, so that what is shared ends here.
const closeAll: (() => Promise<void>)[] = [];
if (files.some((file) => file.startsWith('test/'))) {
  closeAll.push((await import('#test/support/stores/store.ts')).closeKeptStores);
  closeAll.push((await import('#test/support/program/scene.ts')).stopProgramOfAll);
}
if (files.some((file) => file.startsWith('test/once/web/'))) {
  closeAll.push((await import('#test/once/web/support/browser.ts')).closeBrowser);
}
if (files.some((file) => file.startsWith('test/long/operator-shared/'))) {
  closeAll.push((await import('#test/support/kubernetes/operator-lab.ts')).endLabOfAll);
}

for (const file of files) {
  const ended = Promise.withResolvers<void>();
  suite(file, async () => {
    after(() => ended.resolve());
    await import(path.resolve(file));
  });
  await ended.promise;
}
await Promise.all(closeAll.map((close) => close()));
