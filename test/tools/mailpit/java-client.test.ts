import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { withoutMailpit } from '#test/bench/mailpit-binary.ts';
import { startMailpit } from '#test/bench/servers.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';

const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
const jars = path.join(cache, 'sandpost/quarkus-mailpit');
const program = path.join(import.meta.dirname, 'quarkus-mailpit/Use.java');
const withoutClient = existsSync(jars)
  ? false
  : 'test/setup.sh, which fetches the client for Java, was not run';

test('quarkus-mailpit-testing of Maven: 18 calls give the same with Mailpit and Sandpost, and its own faults in two', {
  skip: withoutMailpit || withoutClient,
}, async (t) => {
  const mailpit = await startMailpit();
  t.after(mailpit.stop);
  const sandpost = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  t.after(() => sandpost.stop());
  const linesOf = async (port: number) => {
    const args = ['-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`, program, `http://127.0.0.1:${port}`];
    return (await promisify(execFile)('java', args)).stdout.trim().split('\n');
  };
  const ours = await linesOf(sandpost.ports.http);
  assert.deepEqual(ours, await linesOf(mailpit.httpPort));
  assert.equal(ours.length, 18);
  // The client reads one response as JSON, and expects the other to be empty.
  const failed = ours.filter((line) => line.endsWith('Exception'));
  assert.deepEqual(failed, ['html: ApiException', 'delete search: ApiException']);
});
