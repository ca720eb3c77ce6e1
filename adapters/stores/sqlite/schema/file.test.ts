import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';

function directory(t: TestContext): { dataDir: string; file: string } {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-file-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return { dataDir, file: path.join(dataDir, 'sandpost.db') };
}

async function makeStore(dataDir: string): Promise<void> {
  await (await openSqliteStore({ dataDir })).close();
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

const spoilers: [string, RegExp, (dataDir: string, file: string) => Promise<void> | void][] = [
  [
    'text',
    /is damaged or not a SQLite file$/,
    (_, file) => writeFileSync(file, 'not a database'.repeat(100)),
  ],
  ['a few bytes', /is damaged or not a SQLite file$/, (_, file) => writeFileSync(file, 'SQLite format 3\0')],
  ['a strange database', /belongs to another program$/, (_, file) => change(file, 'CREATE TABLE t (x)')],
  [
    'a newer version',
    /is from a later version/,
    async (dataDir, file) => {
      await makeStore(dataDir);
      change(file, 'PRAGMA user_version = 999');
    },
  ],
  [
    'an earlier version',
    /is from an earlier version/,
    async (dataDir, file) => {
      await makeStore(dataDir);
      change(file, 'PRAGMA user_version = 1');
    },
  ],
  [
    'a file that was cut off',
    /is damaged: /,
    async (dataDir, file) => {
      await makeStore(dataDir);
      truncateSync(file, readFileSync(file).length - 3 * 4096);
    },
  ],
  [
    'a file that was overwritten',
    /is damaged: /,
    async (dataDir, file) => {
      await makeStore(dataDir);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xaa, 4096));
    },
  ],
];

for (const [name, message, spoil] of spoilers) {
  test(`${name} is refused in one sentence that names the file, which is left untouched`, async (t) => {
    const { dataDir, file } = directory(t);
    await spoil(dataDir, file);
    const before = readFileSync(file);
    for (const attempt of ['first', 'second']) {
      await assert.rejects(openSqliteStore({ dataDir }), (error: Error) => {
        assert.match(error.message, message, attempt);
        return error.message.startsWith(file) && !error.message.includes('\n');
      });
    }
    assert.ok(readFileSync(file).equals(before), 'byte for byte');
    assert.equal(existsSync(`${file}-wal`), false);
  });
}

test('an empty file, which a crash at the very beginning leaves, becomes a store', async (t) => {
  const { dataDir, file } = directory(t);
  writeFileSync(file, '');
  await makeStore(dataDir);
  assert.ok(readFileSync(file).length > 0);
});

test('a directory that cannot be made is named', async (t) => {
  const { dataDir } = directory(t);
  writeFileSync(path.join(dataDir, 'file'), '');
  await assert.rejects(openSqliteStore({ dataDir: path.join(dataDir, 'file', 'data') }), /file\/data/);
});

test('a newer version that stands in the log alone is refused too', async (t) => {
  const { dataDir, file } = directory(t);
  await makeStore(dataDir);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 999');
  const copy = directory(t);
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy.file + suffix);
  db.close();
  await assert.rejects(openSqliteStore({ dataDir: copy.dataDir }), /is from a later version/);
});
