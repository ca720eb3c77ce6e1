import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { snippets } from '#api/web/start/snippets.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const run = promisify(execFile);
const missing = (tool: string) =>
  spawnSync(tool, ['--version']).error ? `${tool} is not installed; test/setup.sh does it` : false;

let program: Program;
let user: User;
before(async () => {
  program = await startProgram();
  user = await createUser(program);
});
after(() => program.stop());

/** Returns the lines that the page shows for a tool. */
function linesFor(tool: string): string {
  const place = { host: '127.0.0.1', port: program.smtpPort, address: user.address };
  return snippets(place).find(({ name }) => name === tool)?.text ?? '';
}

async function assertCame(before: number): Promise<void> {
  const list = await ok(user.api.get('/api/messages?subject=Welcome'));
  assert.equal(list.pagination.total, before + 1);
  const message = await ok(user.api.get(`/api/messages/${list.items[0].id}`));
  assert.deepEqual(
    message.codes.map(({ value }: { value: string }) => value),
    ['493817'],
  );
}

const count = async () => (await ok(user.api.get('/api/messages?subject=Welcome'))).pagination.total;

for (const tool of ['swaks', 'curl']) {
  test(`the lines for ${tool} send a mail as they are`, { skip: missing(tool) }, async () => {
    const before = await count();
    await run('bash', ['-c', linesFor(tool)]);
    await assertCame(before);
  });
}

test('the lines for Nodemailer send a mail as they are', async () => {
  const before = await count();
  // A file outside of the project would not find nodemailer.
  const file = `test/web/lines-${process.pid}.mjs`;
  await writeFile(file, linesFor('Nodemailer'));
  try {
    await run(process.execPath, [file]);
  } finally {
    await rm(file);
  }
  await assertCame(before);
});
