import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Store } from '#core/store.ts';
import { openSqliteStore } from './open.ts';

const mebibyte = 1024 * 1024;

async function openTemporary(t: TestContext): Promise<{ store: Store; file: string }> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-log-'));
  const store = await openSqliteStore({ dataDir });
  t.after(async () => {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { store, file: path.join(dataDir, 'sandpost.db') };
}

/** Writes bodies of 1 MiB that are never committed. */
async function writeBodies(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const writer = store.deliveries.writeBody();
    await writer.write(new Uint8Array(mebibyte));
    await writer.finish();
  }
}

async function sweepAll(store: Store): Promise<void> {
  const work = { do: 'remove-orphan-bodies', before: new Date(Date.now() + 1000) } as const;
  while ((await store.upkeep(work, 10)).more);
}

test('the log stays short, and pages of deleted bodies are used again', async (t) => {
  const { store, file } = await openTemporary(t);
  await writeBodies(store, 60);
  const size = statSync(file).size;
  assert.ok(statSync(`${file}-wal`).size < 32 * mebibyte);
  assert.ok(size > 30 * mebibyte, 'checkpoints have moved it into the file');
  for (let round = 0; round < 2; round += 1) {
    await sweepAll(store);
    await writeBodies(store, 60);
  }
  await sweepAll(store);
  assert.ok(statSync(file).size < 64 * mebibyte, 'pages are used again');
});

test('a file that is in use is durable with every commit, and closing leaves one file', async (t) => {
  const { store, file } = await openTemporary(t);
  const reader = new DatabaseSync(file, { readOnly: true });
  assert.equal(reader.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal');
  reader.close();
  await store.ping();
  await store.close();
  for (const suffix of ['-wal', '-shm', '-journal']) assert.equal(existsSync(file + suffix), false, suffix);
});
