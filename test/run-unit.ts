import { globSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

/**
 * Runs the unit tests in one process, without a server, a build or a download: those beside the sources, and those for the
 * documents and the architecture. An argument is part of a path. Adapters have slower tests, with files, threads and processor
 * time, which run only if an argument names them, as in `npm run test:unit -- adapters/mime`.
 */
const parts = process.argv.slice(2);
const chosen = (file: string) =>
  parts.length === 0 ? !file.startsWith('adapters/') : parts.some((part) => file.includes(part));
const files = globSync(
  '{adapters,api,charts,clients,commands,core,gate,maintenance,operator,setup,smtp,telemetry,test}/**/*.test.ts',
  { exclude: ['**/dist*/**', 'test/{once,each-store,tools,long,alone,cluster}/**'] },
)
  .filter(chosen)
  .sort();

let failed = files.length === 0;
if (failed)
  process.stderr.write(`No test beside a source has one of these in its path: ${parts.join(' ')}\n`);
let ended = failed;
// A test file that calls process.exit(0) would end the run successfully.
process.on('exit', () => {
  if (failed || !ended) process.exitCode = 1;
});
if (files.length > 0) {
  const events = run({ files, isolation: 'none', timeout: 60_000 });
  events.on('test:fail', () => {
    failed = true;
  });
  await pipeline(events, new spec(), process.stdout, { end: false });
  ended = true;
}
