import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * Loads the test files that SANDPOST_TEST_FILES names, one a line, so that they run in this one process. All are loaded before the
 * first test begins: their loading takes as long as a process of each would, but for what they share.
 */
const require = createRequire(import.meta.url);
for (const file of (process.env.SANDPOST_TEST_FILES ?? '').split('\n')) require(path.resolve(file));
