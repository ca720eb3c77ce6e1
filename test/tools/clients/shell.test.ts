import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { before, test } from 'node:test';
import { copyClient, without } from '#test/support/clients/languages.ts';
import type { Process } from '#test/support/program/process.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { devOfAll } from '#test/support/program/scene.ts';

const skip = without({ tool: 'curl' });

let dev: Process;
let folder: string;
before(async () => {
  dev = await devOfAll();
  folder = await copyClient('shell');
});

/** Runs the client with an input. Returns its status and output. */
async function run(args: string[], input = ''): Promise<{ status: number | null; said: string }> {
  const env = { PATH: process.env.PATH, SANDPOST_URL: `http://127.0.0.1:${dev.ports.http}` };
  const child = spawn(path.join(folder, 'sandpost'), args, { cwd: folder, env, stdio: 'pipe' });
  child.stdin.on('error', () => {}).end(input);
  const [output, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status, said: output + errors };
}

test('the shell says how to use it, also after a command', { skip }, async () => {
  for (const args of [['--help'], ['wait', '--help'], ['code', 'qa@app.test', '-h']]) {
    const { status, said } = await run(args);
    assert.equal(status, 0);
    assert.match(said, /^usage: sandpost address \[NAME\]/);
  }
  assert.equal((await run([])).status, 2);
});

test('the shell checks assertions of a file and of standard input', { skip }, async () => {
  const { said } = await run(['address', 'assert']);
  const address = said.trim();
  const id = await deliverOne(
    { smtpPort: dev.ports.smtp },
    { to: address, subject: 'Say "hi" \\ there', text: 'No' },
  );
  const find = { address };
  await writeFile(
    path.join(folder, 'right.json'),
    JSON.stringify({ find, expect: [{ subject: { contains: 'hi' } }] }),
  );
  assert.deepEqual(await run(['assert', 'right.json']), { status: 0, said: '' });
  const wrong = {
    find,
    expect: [
      { subject: { contains: 'hi' } },
      { subject: { equals: 'Hello' } },
      { code: { equals: '111111' } },
    ],
  };
  const clauses = `  subject equals "Hello"
    expected: Hello
    actual:   Say "hi" \\ there
  code equals "111111"
    expected: 111111
    actual:   nothing
`;
  assert.deepEqual(await run(['assert', '-'], JSON.stringify(wrong)), {
    status: 1,
    said: `sandpost: The email is not as expected:\n${clauses}`,
  });
  const missing = { find: { address, q: 'subject:bye' }, expect: [] };
  const { status, said: why } = await run(['assert', '-'], JSON.stringify(missing));
  assert.equal(status, 1);
  assert.match(
    why,
    new RegExp(`  email ${id} "Say "hi" \\\\ there" to ${address} \\(differs in subject\\)$`, 'm'),
  );
});

test('the shell names what is wrong with a command', { skip }, async () => {
  const cases: [args: string[], said: RegExp][] = [
    [[], /^sandpost: usage: sandpost address/],
    [['wait'], /^sandpost: usage: /],
    [['code', '', 'subject=Welcome'], /^sandpost: The address is empty: /],
    [['assert'], /^sandpost: usage: /],
    [['assert', 'none.json'], /^sandpost: Cannot read none\.json\.$/m],
    [['assert', '-'], /^sandpost: http:\S+ returned 400: /],
    [['code', 'a@b.test', 'sujbect=Welcome'], /^sandpost: Unknown condition sujbect=Welcome: use /],
    [
      ['code', 'a@b.test', 'within=soon'],
      /^sandpost: The condition within must be a number of seconds, not soon\.$/m,
    ],
  ];
  for (const [args, said] of cases) {
    const result = await run(args);
    assert.match(result.said, said);
    assert.equal(result.status, 2);
  }
});
