import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { blocksOf, onPorts, runLines, withoutTools } from '#test/support/program/page-blocks.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';

const page = 'docs/first-mail.md';
const skip = withoutTools(['curl']);

let start: Process;
let cwd: string;
/** Output of the page's lines, and the key that they create. */
let stdout = '';
let key = '';

before(async () => {
  if (skip) return;
  start = await startProcess('start', { SANDPOST_DATA_DIR: await temporaryDir() });
  cwd = await temporaryDir();
  stdout = await run(`${blocksOf(page, 'sh')['first-mail']}\necho " $KEY"`);
  key = stdout.slice(stdout.lastIndexOf(' ') + 1).trim();
});
after(() => start?.stop());

/** Runs lines after the page's, with the variables that those have set. */
function run(lines: string): Promise<string> {
  const text = onPorts(`set -o pipefail\n${lines}`, start.ports);
  const url = `http://127.0.0.1:${start.ports.http}`;
  const env = { KEY: key, API: `${url}/api`, SANDPOST_URL: url, SANDPOST_API_KEY: key };
  return runLines(text, { cwd, flags: '-euc', env });
}

test('the lines of the page do what they say', { skip }, () => {
  // curl prints JSON texts without separators.
  const message = JSON.parse(stdout.slice(stdout.lastIndexOf('}{') + 1, stdout.lastIndexOf(' ')));
  assert.equal(message.subject, 'Welcome');
  assert.deepEqual(message.codes[0].value, '493817');
  assert.equal(message.delivered_to, 'qa@app.test');
});

test('the lines in Node print the code', { skip }, async () => {
  await writeFile(path.join(cwd, 'mail.mjs'), onPorts(blocksOf(page, 'js').node ?? '', start.ports));
  await symlink(path.resolve('node_modules'), path.join(cwd, 'node_modules'));
  assert.equal(await run('node mail.mjs'), '493817\n');
});

test('an application that signs in has its mail to a foreign address taken', { skip }, async () => {
  const lines = blocksOf('docs/sending.md', 'sh').submission;
  const out = await run(`${lines}\ncurl -s -H "X-API-KEY: $KEY" "$API/messages?to=alice@gmail.com"`);
  const { items } = JSON.parse(out.slice(out.lastIndexOf('{"items"')));
  assert.deepEqual(items[0].to_addresses, ['alice@gmail.com']);
});

test('a client has an address after the lines of the page, without another setting', { skip }, async () => {
  const client = path.resolve('clients/shell/sandpost');
  const out = await run(`ADDRESS=$(sh ${client} address signup)
    swaks --server localhost:2525 --from shop@example.com --to $ADDRESS --body 'Your code is 112233.'
    sh ${client} code $ADDRESS`);
  assert.match(out, /\n112233\n$/);
});
