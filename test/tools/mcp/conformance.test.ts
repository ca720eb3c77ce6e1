import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newestRevision, revisionBefore } from '#test/support/clients/mcp.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';

const command = fileURLToPath(
  new URL('clients/node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
const skip = existsSync(command) ? false : 'test/setup.sh, which installs the conformance tests, was not run';

let dev: Process;
// The conformance tests send no key, which `sandpost dev` does not need.
before(async () => {
  dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
});
after(() => dev.stop());

for (const revision of [newestRevision, revisionBefore]) {
  test(`the conformance tests of ${revision} fail where the baseline says, and nowhere else`, {
    skip,
  }, async () => {
    const url = `http://localhost:${dev.ports.http}/mcp`;
    const baseline = fileURLToPath(new URL(`baseline-${revision}.yml`, import.meta.url));
    const args = ['server', '--url', url, '--requirements', revision, '--expected-failures', baseline];
    const child = spawn(process.execPath, [command, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: await temporaryDir(),
    });
    const code = new Promise((resolve) => child.on('close', resolve));
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    assert.equal(await code, 0, `${output.slice(-8000)}\n${errors.slice(-2000)}`);
  });
}
