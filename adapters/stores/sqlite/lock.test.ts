import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { allOf } from '#core/page.ts';
import { openSqliteStore } from './open.ts';

function directory(t: TestContext): string {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-lock-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** Program that opens the store and creates users. Prints each ID on a line as soon as the user is stored. */
const program = `
  import { openSqliteStore } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)};
  import { addUser } from ${JSON.stringify(new URL('../../../core/access/user-changes.ts', import.meta.url).href)};
  const store = await openSqliteStore({ dataDir: process.argv[2] });
  for (let i = 0; ; i += 1) {
    const user = await store.rows.change(addUser, { email: String(i), passwordHash: null, now: new Date() });
    process.stdout.write(user.id + '\\n');
  }
`;

test('a second store in the same process is refused, until the first is closed', async (t) => {
  const dataDir = directory(t);
  const store = await openSqliteStore({ dataDir });
  await assert.rejects(openSqliteStore({ dataDir }), {
    message: `another process is using the data directory ${dataDir}: stop it first`,
  });
  await store.ping();
  await store.close();
  await (await openSqliteStore({ dataDir })).close();
});

test('another process is refused while one runs; a killed one leaves its data and no lock', async (t) => {
  const dataDir = directory(t);
  const script = path.join(dataDir, 'program.ts');
  writeFileSync(script, program);
  const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  t.after(() => child.kill('SIGKILL'));
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  while (told.split('\n').length < 50) {
    await Promise.race([once(child.stdout, 'data'), exited]);
    assert.equal(child.exitCode, null);
  }
  await assert.rejects(openSqliteStore({ dataDir }), /another process is using the data directory/);
  child.kill('SIGKILL');
  await exited;
  const store = await openSqliteStore({ dataDir });
  const ids = told.split('\n').slice(0, -1).map(Number);
  const stored = (await allOf((page) => store.rows.list('users', {}, page))).map(({ user }) => user.id);
  for (const id of ids) assert.ok(stored.includes(id));
  await store.close();
});
