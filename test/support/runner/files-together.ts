import path from 'node:path';
import { after, suite } from 'node:test';

/**
 * Runs the test files that SANDPOST_TEST_FILES names, one per line, in this process, each in a suite with its path. Loads a file
 * after the previous one has ended. All files share what the first has loaded.
 */
const files = (process.env.SANDPOST_TEST_FILES ?? '').split('\n');

// If one of the files loaded these modules, their hooks would close what all files use when that file ends. The process's hooks
// run only after nothing is open, so shared resources are closed here.
const closeAll: (() => Promise<void>)[] = [];
if (files.some((file) => file.startsWith('test/'))) {
  closeAll.push((await import('#test/support/stores/store.ts')).closeKeptStores);
  closeAll.push((await import('#test/support/program/scene.ts')).stopProgramOfAll);
}
if (files.some((file) => /^test\/(once\/web|tools\/web|tools\/clients)\//.test(file))) {
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
