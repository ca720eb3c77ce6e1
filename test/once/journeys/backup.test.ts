import assert from 'node:assert/strict';
import { chmodSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { runCommand, withoutOverride } from '#test/support/program/command.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok } from '#test/support/program/user.ts';

test('a running store is copied whole, and the copy starts with all that was there', async () => {
  const dataDir = await temporaryDir();
  const folder = path.join(await temporaryDir(), 'of tonight');
  const backUp = (to: string) => runCommand(['backup', to], { SANDPOST_DATA_DIR: dataDir });
  await using program = await startProgram({ SANDPOST_DATA_DIR: dataDir });
  const user = await createUser(program);
  const ids = [];
  const send = () => deliverOne(program, { to: user.address, subject: 'kept', text: 'x'.repeat(300_000) });
  for (let mail = 0; mail < 5; mail += 1) ids.unshift(await send());

  // Mail arrives while the store is copied.
  const [copied, ...during] = await Promise.all([backUp(folder), send(), send(), send()]);
  assert.equal(copied.code, 0, copied.err);
  const later = await send();
  const again = await backUp(folder);
  assert.equal(again.code, 1);
  assert.match(again.err, /already exists: choose an empty folder/);

  await using restored = await startProgram({ SANDPOST_DATA_DIR: folder });
  const api = new HttpClient(restored, { 'x-api-key': user.key });
  const { items } = await ok(api.get('/api/messages'));
  const found = items.map(({ id }: { id: number }) => id);
  assert.deepEqual(
    found.filter((id: number) => !during.includes(id)),
    ids,
  );
  assert.ok(!found.includes(later));
  for (const id of found) {
    const raw = await api.get(`/api/messages/${id}/raw`);
    assert.deepEqual(raw.body, (await user.api.get(`/api/messages/${id}/raw`)).body);
  }
});

test('a backup without a store, or of the cluster store, says what to do', async () => {
  const dataDir = await temporaryDir();
  const none = await runCommand(['backup', path.join(dataDir, 'b')], { SANDPOST_DATA_DIR: dataDir });
  assert.deepEqual(
    [none.code, none.err],
    [1, `sandpost: ${dataDir} (SANDPOST_DATA_DIR) contains no store\n`],
  );
  const cluster = { SANDPOST_MONGODB_URI: 'mongodb://127.0.0.1/x', SANDPOST_REDIS_URL: 'redis://127.0.0.1' };
  const refused = await runCommand(['backup', path.join(dataDir, 'b')], cluster);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /mongodump/);
});

test('a store in a read-only folder is neither copied nor called usable, and nothing is left behind', async () => {
  const dataDir = await temporaryDir();
  await (await startProgram({ SANDPOST_DATA_DIR: dataDir })).stop();
  const parent = await temporaryDir();
  const run = (...args: string[]) => runCommand(args, { SANDPOST_DATA_DIR: dataDir }, '', withoutOverride);
  chmodSync(dataDir, 0o500);
  try {
    const called = `the data directory ${dataDir} (SANDPOST_DATA_DIR)`;
    const copied = await run('backup', path.join(parent, 'a', 'b'));
    assert.equal(copied.code, 1);
    assert.equal(
      copied.err,
      `sandpost: ${called} must be writable by this user, because SQLite creates files in it to read the store\n`,
    );
    assert.deepEqual(readdirSync(parent), []);
    assert.deepEqual(await run('check-upgrade'), {
      ...{ code: 1, out: '' },
      err: `sandpost: ${called} is read-only for this user\n`,
    });
  } finally {
    chmodSync(dataDir, 0o700);
  }
});

test('a folder that cannot be created is named as the one to copy into', async () => {
  const dataDir = await temporaryDir();
  await (await openSqliteStore({ dataDir })).close();
  const parent = await temporaryDir();
  chmodSync(parent, 0o500);
  const folder = path.join(parent, 'x');
  const { code, err } = await runCommand(
    ['backup', folder],
    { SANDPOST_DATA_DIR: dataDir },
    '',
    withoutOverride,
  );
  assert.deepEqual([code, err], [1, `sandpost: the folder ${folder} cannot be created: EACCES\n`]);
});
