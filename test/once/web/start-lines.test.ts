import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { snippets } from '#api/web/start/snippets.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const run = promisify(execFile);
const missing = (tool: string) =>
  spawnSync(tool, ['--version']).error ? `${tool} is not installed; test/setup.sh does it` : false;

const { program, user } = await scene();
await ok(user.api.patch(`/api/accounts/${user.account.id}`, { is_capture: true }));

/** Returns the lines that the page shows for a tool: to the user's address without a sign-in, or to any address with one. */
function linesFor(tool: string, way: string): string {
  const signIn = way === 'with a sign-in' ? { user: 'apikey', password: user.key } : null;
  const address = signIn ? 'alice@gmail.com' : user.address;
  const place = { host: '127.0.0.1', port: program.smtpPort, address, signIn };
  return snippets(place).find(({ name }) => name === tool)?.text ?? '';
}

const ways = ['without a sign-in', 'with a sign-in'];

async function assertCame(before: number): Promise<void> {
  const list = await ok(user.api.get('/api/messages?subject=Welcome'));
  assert.equal(list.pagination.total, before + 1);
  const message = await ok(user.api.get(`/api/messages/${list.items[0].id}`));
  const values = message.codes.map(({ value }: { value: string }) => value);
  assert.deepEqual(values, ['493817']);
}

const count = async () => (await ok(user.api.get('/api/messages?subject=Welcome'))).pagination.total;

for (const way of ways) {
  for (const tool of ['swaks', 'curl']) {
    test(`the lines for ${tool} ${way} send a mail as they are`, { skip: missing(tool) }, async () => {
      const before = await count();
      await run('bash', ['-c', linesFor(tool, way)]);
      await assertCame(before);
    });
  }

  test(`the lines for Nodemailer ${way} send a mail as they are`, async () => {
    const before = await count();
    // A file outside the project would not find nodemailer.
    const file = `test/once/web/lines-${process.pid}.mjs`;
    await writeFile(file, linesFor('Nodemailer', way));
    try {
      await run(process.execPath, [file]);
    } finally {
      await rm(file);
    }
    await assertCame(before);
  });
}

test('lines for every tool name the server, and the credentials where there are some', () => {
  const place = { host: 'mx.test', port: 2525, address: 'qa@app.test' };
  const signIn = { user: 'apikey', password: 'API_KEY' };
  for (const { name, text } of snippets({ ...place, signIn }))
    for (const part of ['mx.test', 'apikey', 'API_KEY']) assert.ok(text.includes(part), `${name}: ${part}`);
  for (const { name, text } of snippets({ ...place, signIn: null }))
    assert.ok(!/apikey|null"/.test(text) && text.includes('mx.test'), name);
});
