import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { MongoClient } from 'mongodb';
import type { MessageSummary } from '#core/messages/message.ts';
import type { Store } from '#core/store.ts';
import { now, wholePage } from '#test/once/conformance/scene.ts';
import { onCluster, temporaryDir } from '#test/support/program/program.ts';
import { searching } from '#test/support/stores/searching.ts';
import { asEarlier, openStore } from './earlier-program.ts';
import { restoreFixture, uriOf } from './fixture.ts';

const first = onCluster ? { name: 'mongodb-6', version: 6 } : { name: 'sqlite-15', version: 15 };

/** Personal team of the fixtures' first user, and the number of messages that its list shows. */
const owner = 1;
const shown = 11;

/** Returns a folder with the first version's store, whose messages lack their code and link. */
async function earlierStore(): Promise<string> {
  const dataDir = await temporaryDir();
  await restoreFixture(first.name, dataDir);
  return dataDir;
}

async function listOf(store: Store): Promise<MessageSummary[]> {
  return (await store.messages.list(owner, {}, wholePage, now())).items;
}

/** Fills at most `limit` rows. False once none are left. */
const fill = async (store: Store, limit: number) => (await store.upkeep({ do: 'fill-columns' }, limit)).more;

const countOf = (dataDir: string) => asEarlier(dataDir, ({ count }) => count());

test('rows show their code and link before they are filled, and the same afterwards', async (t) => {
  const dataDir = await earlierStore();
  const store = await openStore(t, dataDir);
  const { messages, unfilled } = await countOf(dataDir);
  assert.equal(unfilled, messages);
  const early = await listOf(store);
  const found = Object.fromEntries(early.map(({ subject, code, mainLink }) => [subject, [code, mainLink]]));
  assert.deepEqual(found.Welcome, ['493817', 'https://shop.example/verify?t=1']);
  assert.deepEqual(found.Reset, [null, 'https://shop.example/reset/2']);
  assert.deepEqual(found['Nothing to click'], [null, null]);
  const byWords = await store.messages.list(owner, searching({ words: ['code'] }), wholePage, now());
  assert.ok(byWords.items.some(({ code }) => code === '493817'));

  assert.equal(await fill(store, 5), true);
  await store.close();
  const { unfilled: left } = await countOf(dataDir);
  assert.ok(left < messages && left >= messages - 5, `an interrupted filling leaves the rest: ${left}`);
  const later = await openStore(t, dataDir);
  assert.deepEqual(await listOf(later), early);
  // A step in the embedded store ends after some milliseconds, whatever it has filled.
  while (await fill(later, 1000));
  assert.deepEqual(await listOf(later), early);
  await later.close();
  assert.deepEqual(await countOf(dataDir), { messages, unfilled: 0 });
});

test('an earlier program works on beside this one: what it writes is shown, filled and removed', async (t) => {
  const dataDir = await earlierStore();
  const store = await openStore(t, dataDir);
  while (await fill(store, 5));
  await asEarlier(dataDir, async ({ version, deliverCopy, count }) => {
    assert.equal(await version(), first.version, 'the number that it compares with its own');
    const { messages } = await count();
    const id = await deliverCopy((await listOf(store)).find(({ subject }) => subject === 'Sent')?.id ?? 0);
    assert.deepEqual(await count(), { messages: messages + 1, unfilled: 1 });
    assert.equal((await listOf(store)).find((item) => item.id === id)?.code, '7741');
    assert.equal((await store.messages.find(owner, id, now()))?.code, '7741');
    assert.equal(await fill(store, 5), true);
    assert.equal(await fill(store, 5), false);
    assert.ok(await store.messages.remove(owner, id, now()));
    assert.deepEqual(await count(), { messages, unfilled: 0 });
  });
  await store.close();
});

test('processes that begin at once migrate once', async (t) => {
  const dataDir = await earlierStore();
  const starts = await Promise.allSettled(Array.from({ length: 3 }, () => openStore(t, dataDir)));
  const stores = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  // The embedded store belongs to one process.
  assert.equal(stores.length, onCluster ? 3 : 1, JSON.stringify(starts));
  for (const store of stores) assert.equal((await listOf(store)).length, shown);
  for (const store of stores) await store.close();
  assertWhole(await appliedTo(dataDir));
});

test('a migration that ended half-way goes on', async (t) => {
  const dataDir = await earlierStore();
  const half = await (onCluster ? halfOnMongo(t, dataDir) : halfOnSqlite(dataDir));
  const store = await openStore(t, half);
  assert.equal((await listOf(store)).length, shown);
  await store.close();
  assertWhole(await appliedTo(half));
});

test('a store that a later release has added to is opened as before', async (t) => {
  const dataDir = await earlierStore();
  await (await openStore(t, dataDir)).close();
  const own = await appliedTo(dataDir);
  const later = [...own, own.length + first.version + 1];
  if (onCluster)
    await inMongo(dataDir, (meta) => meta.updateOne({ _id: 'schema' }, { $set: { migrations: later } }));
  else inSqlite(dataDir, (db) => db.exec(`INSERT INTO migration VALUES (${later.at(-1)}, 0)`));
  const store = await openStore(t, dataDir);
  assert.equal((await listOf(store)).length, shown);
  await store.close();
  assert.deepEqual(await appliedTo(dataDir), later);
});

/** Checks that each migration since the first version was applied once. */
function assertWhole(applied: number[]): void {
  assert.ok(applied.length > 0);
  assert.deepEqual(
    applied,
    Array.from(applied, (_, index) => first.version + 1 + index),
  );
}

/** Returns the migrations that a store has recorded. */
async function appliedTo(dataDir: string): Promise<number[]> {
  if (onCluster)
    return inMongo(dataDir, async (meta) => (await meta.findOne({ _id: 'schema' }))?.migrations ?? []);
  return inSqlite(dataDir, (db) =>
    db
      .prepare('SELECT version FROM migration ORDER BY version')
      .all()
      .map(({ version }) => Number(version)),
  );
}

/** Copies a store's file while its migration is in a transaction, as if the power failed then. */
async function halfOnSqlite(dataDir: string): Promise<string> {
  const copy = await temporaryDir();
  inSqlite(dataDir, (db) => {
    db.exec('PRAGMA cache_spill = 1; BEGIN IMMEDIATE; ALTER TABLE message ADD COLUMN code TEXT');
    db.exec('UPDATE body_piece SET bytes = zeroblob(length(bytes))');
    cpSync(dataDir, copy, { recursive: true });
    db.exec('ROLLBACK');
  });
  return copy;
}

/** Ends a migration after its indexes were created and some rows filled, before it was recorded. */
async function halfOnMongo(t: TestContext, dataDir: string): Promise<string> {
  const store = await openStore(t, dataDir);
  await fill(store, 3);
  await store.close();
  await inMongo(dataDir, (meta) => meta.updateOne({ _id: 'schema' }, { $unset: { migrations: '' } }));
  return dataDir;
}

function inSqlite<T>(dataDir: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

type Meta = ReturnType<typeof metaOf>;
const metaOf = (client: MongoClient) =>
  client.db().collection<{ _id: string; migrations?: number[] }>('meta');

async function inMongo<T>(dataDir: string, work: (meta: Meta) => Promise<T>): Promise<T> {
  const client = new MongoClient(await uriOf(dataDir));
  return work(metaOf(client)).finally(() => client.close());
}
