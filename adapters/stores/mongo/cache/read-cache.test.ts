import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { MongoClient } from 'mongodb';
import type { Collections } from '#adapters/stores/mongo/schema/rows.ts';
import { createBatchLoader, createReadCache } from './read-cache.ts';

const MiB = 1024 * 1024;

/** Cache without a server. `version` applies to every user. `reads` holds the names that were read. */
function scene() {
  const reads: string[] = [];
  const state = { version: 1 };
  const rows = async () => [{ _id: 1, version: state.version }];
  const teamVersions = { find: () => ({ toArray: rows }) } as unknown as Collections['teamVersions'];
  const cached = createReadCache(new EventEmitter() as unknown as MongoClient, { teamVersions });
  const get = (name: string, bytes: number) =>
    cached(1, name, {
      async read() {
        reads.push(name);
        return name;
      },
      bytes: () => bytes,
      isFresh: () => true,
    });
  return { get, reads, state };
}

test('a value is read anew when the version of its user has changed', async () => {
  const { get, reads, state } = scene();
  for (let count = 0; count < 2; count += 1) await get('list', 100);
  assert.deepEqual(reads, ['list']);
  state.version = 2;
  for (let count = 0; count < 2; count += 1) await get('list', 100);
  assert.deepEqual(reads, ['list', 'list']);
});

test('values take 16 MiB at most, and the least recently used is dropped first', async () => {
  const { get, reads } = scene();
  for (const name of ['a', 'b', 'c']) await get(name, 5 * MiB);
  await get('a', 5 * MiB);
  await get('d', 5 * MiB);
  assert.deepEqual(reads, ['a', 'b', 'c', 'd']);
  for (const name of ['a', 'c', 'd']) await get(name, 5 * MiB);
  assert.deepEqual(reads, ['a', 'b', 'c', 'd'], 'what was used lately stays');
  await get('b', 5 * MiB);
  assert.deepEqual(reads, ['a', 'b', 'c', 'd', 'b'], 'what was not used is gone');
});

test('bytes of a value that is replaced are free again', async () => {
  const { get, reads, state } = scene();
  await get('kept', 5 * MiB);
  for (let count = 0; count < 5; count += 1) {
    await get('changing', 5 * MiB);
    state.version += 1;
    await get('kept', 5 * MiB);
  }
  reads.length = 0;
  await get('kept', 5 * MiB);
  assert.deepEqual(reads, []);
});

/** Batch loader whose reads end when the test ends them. `readings` holds each read's keys and promise. */
function controlled() {
  const readings: { keys: string[]; end: PromiseWithResolvers<Map<string, string>> }[] = [];
  const begun: PromiseWithResolvers<void>[] = [Promise.withResolvers()];
  const get = createBatchLoader((keys: string[]) => {
    const end = Promise.withResolvers<Map<string, string>>();
    readings.push({ keys, end });
    begun.at(-1)?.resolve();
    begun.push(Promise.withResolvers());
    return end.promise;
  });
  const reading = async (index: number) => {
    await begun[index]?.promise;
    const found = readings[index];
    assert.ok(found);
    return found;
  };
  return { get, reading, readings };
}

const upper = (keys: string[]) => new Map(keys.map((key) => [key, key.toUpperCase()]));

test('keys of the same moment are read in one batch, each once', async () => {
  const { get, reading, readings } = controlled();
  const asked = Promise.all([get('a'), get('b'), get('a')]);
  const first = await reading(0);
  assert.deepEqual(first.keys, ['a', 'b']);
  first.end.resolve(upper(['a']));
  assert.deepEqual(await asked, ['A', null, 'A']);
  assert.equal(readings.length, 1);
});

test('a key that is requested during a read is read again by the next batch', async () => {
  const { get, reading, readings } = controlled();
  const early = get('a');
  const first = await reading(0);
  const late = Promise.all([get('a'), get('b')]);
  first.end.resolve(new Map([['a', 'old']]));
  assert.equal(await early, 'old');
  const second = await reading(1);
  assert.deepEqual(second.keys, ['a', 'b']);
  second.end.resolve(upper(second.keys));
  assert.deepEqual(await late, ['A', 'B']);
  assert.equal(readings.length, 2);
});

test('a failing read rejects its own batch only', async () => {
  const { get, reading } = controlled();
  const asked = Promise.allSettled([get('a'), get('b')]);
  (await reading(0)).end.reject(new Error('gone'));
  const statuses = (await asked).map(({ status }) => status);
  assert.deepEqual(statuses, ['rejected', 'rejected']);
  const again = get('a');
  (await reading(1)).end.resolve(upper(['a']));
  assert.equal(await again, 'A');
});
