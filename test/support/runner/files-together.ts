import { createRequire } from 'node:module';
import path from 'node:path';
import { suite } from 'node:test';
// Loaded by one of the files, it would drop the database at the end of that file.
import '#test/support/stores/mongo-store.ts';

/**
 * Runs the test files that SANDPOST_TEST_FILES names, one a line, in this one process, each in a suite with its path. All are loaded
 * before the first test begins: their loading takes as long as a process of each would, but for what they share.
 */
const require = createRequire(import.meta.url);
for (const file of (process.env.SANDPOST_TEST_FILES ?? '').split('\n'))
  suite(file, () => void require(path.resolve(file)));
