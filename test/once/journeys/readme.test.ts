import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { blocksOf, onPorts, runLines, withoutTools } from '#test/support/program/page-blocks.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';

const commands = blocksOf('README.md', 'sh');

let dev: Process;
let cwd: string;
before(async () => {
  dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  cwd = await temporaryDir();
});
after(() => dev.stop());

const run = (name: string, env = {}) =>
  runLines(onPorts(commands[name] ?? '', dev.ports), { cwd, flags: '-euc', env });

test('the first mail of the README is caught', { skip: withoutTools(['curl']) }, async () => {
  assert.match(await run('try'), /^\{"items":\[\{"id":1,.*"code":"493817"/);
});

test('the first test of the README passes in an empty folder', async () => {
  await writeFile(
    path.join(cwd, 'sign-up.test.mjs'),
    onPorts(blocksOf('README.md', 'js')['first-test'] ?? '', dev.ports),
  );
  // The setup has already loaded Nodemailer.
  const env = {
    npm_config_prefer_offline: 'true',
    npm_config_audit: 'false',
    SANDPOST_URL: `http://127.0.0.1:${dev.ports.http}`,
  };
  assert.match(await run('first-test', env), /sign-up sends a code[\s\S]*pass 1[\s\S]*fail 0/);
});
