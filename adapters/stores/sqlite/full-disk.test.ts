import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { requireRoom } from '#adapters/stores/sqlite/delivery/room.ts';
import { connect, prepareFile } from '#adapters/stores/sqlite/schema/file.ts';
import { toCoreError } from '#adapters/stores/sqlite/workers/calls.ts';
import { query, transaction } from '#adapters/stores/sqlite/workers/query.ts';
import { storeWrites } from '#adapters/stores/sqlite/workers/writes.ts';
import { StoreFull } from '#core/errors.ts';

const user = (email: string) => ({ email, passwordHash: null, now: new Date() });

function openFile(t: TestContext): DatabaseSync {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-full-'));
  const file = path.join(dataDir, 'sandpost.db');
  prepareFile(file);
  const db = connect(file, 'write');
  t.after(() => {
    db.close();
    rmSync(dataDir, { recursive: true });
  });
  return db;
}

test('a write to a full disk is StoreFull and leaves nothing, and writes succeed once there is room', (t) => {
  const db = openFile(t);
  const { rows, bodies } = storeWrites(db, () => {});
  const write = () =>
    transaction(db, 'IMMEDIATE', () => {
      rows.change('addUser', user(`user ${performance.now()}`));
      const id = bodies.begin();
      for (let piece = 0; piece < 8; piece += 1) bodies.append(id, piece, Buffer.alloc(262_144));
    });
  const users_ = query<{ total: number }>(db, 'SELECT count(*) AS total FROM user');
  db.exec('PRAGMA max_page_count = 300');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    assert.throws(write, (error) => toCoreError(error) instanceof StoreFull);
    assert.equal(db.isTransaction, false);
    assert.equal(users_.get()?.total, 0);
  }
  db.exec('PRAGMA max_page_count = 4294967294');
  write();
  assert.equal(users_.get()?.total, 1);
});

test('mail is refused while there is still room to delete some, until deletions made room', (t) => {
  const db = openFile(t);
  const mebibyte = 1024 * 1024;
  const check = (size: number, free: number) =>
    requireRoom(db, 'file', () => ({ ...statfsSync('.'), bsize: mebibyte, blocks: size, bavail: free }));
  const cases: [number, number, boolean][] = [
    [100_000, 32, true],
    [100_000, 31, false],
    [40, 10, true],
    [40, 9, false],
  ];
  for (const [size, free, room] of cases) {
    if (room) check(size, free);
    else assert.throws(() => check(size, free), StoreFull, `${free} of ${size} MiB`);
  }
  const { bodies } = storeWrites(db, () => {});
  const id = bodies.begin();
  for (let piece = 0; piece < 8; piece += 1) bodies.append(id, piece, Buffer.alloc(262_144));
  assert.throws(() => check(40, 9), StoreFull);
  bodies.discard(id);
  check(40, 9);
});
