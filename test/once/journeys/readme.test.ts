import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { settings } from '#setup/settings.ts';
import { startProgram } from '#test/support/program/program.ts';

const readme = readFileSync('README.md', 'utf8');
const linesOf = (name: string) =>
  readme
    .split('```sh ')
    .filter((block) => block.startsWith(`${name}\n`))
    .map((block) => block.slice(name.length, block.indexOf('```')))
    .join('');
const firstMail = linesOf('first-mail');

const has = (tool: string) => {
  try {
    execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const missing = ['swaks', 'curl'].filter((tool) => !has(tool));

const skip = missing.length > 0 && `test/setup.sh installs what is missing here: ${missing.join(', ')}`;

/** Runs lines of the README, with the addresses of a program of their own. Returns what they print. */
async function run(text: string): Promise<string> {
  await using program = await startProgram();
  const lines = text
    .replaceAll('http://localhost:8080', program.baseUrl)
    .replaceAll('localhost:2525', `127.0.0.1:${program.smtpPort}`);
  const cwd = mkdtempSync(path.join(tmpdir(), 'sandpost-readme-'));
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines], { cwd })).stdout;
}

test('the lines of "A first mail" do what they say', { skip }, async () => {
  const stdout = await run(firstMail);
  // curl prints JSON texts without separators.
  const message = JSON.parse(stdout.slice(stdout.lastIndexOf('}{') + 1));
  assert.equal(message.subject, 'Welcome');
  assert.deepEqual(message.codes[0].value, '493817');
  assert.equal(message.delivered_to, 'qa@app.test');
});

test('an application that signs in has its mail to a foreign address taken', { skip }, async () => {
  const stdout = await run(`${firstMail}${linesOf('submission')}
    curl -s -H "X-API-KEY: $KEY" "$API/messages?to=alice@gmail.com"`);
  const { items } = JSON.parse(stdout.slice(stdout.lastIndexOf('{"items"')));
  assert.deepEqual(items[0].to_addresses, ['alice@gmail.com']);
});

test('a client has an address after the lines of "A first mail", without another setting', {
  skip,
}, async () => {
  const stdout = await run(`${firstMail}
    export SANDPOST_URL=http://localhost:8080 SANDPOST_API_KEY=$KEY
    ADDRESS=$(sh ${path.resolve('clients/shell/sandpost')} address signup)
    swaks --server localhost:2525 --from shop@example.com --to $ADDRESS --body 'Your code is 112233.'
    sh ${path.resolve('clients/shell/sandpost')} code $ADDRESS`);
  assert.match(stdout, /\n112233\n$/);
});

test('the README has every setting with its default', () => {
  for (const setting of settings) assert.ok(readme.includes(`\`${setting.variable}\``), setting.variable);
});
