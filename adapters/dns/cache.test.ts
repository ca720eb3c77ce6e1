import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDnsCache } from './cache.ts';

test('keeps a value for its lifetime, and none for a lifetime of 0', () => {
  let now = 0;
  const cache = createDnsCache<string>(10_000, () => now);
  cache.set('a', 'A', 1000, 10);
  cache.set('b', 'B', 0, 10);
  now = 999;
  assert.deepEqual([cache.get('a'), cache.get('b')], ['A', undefined]);
  now = 1000;
  assert.equal(cache.get('a'), undefined);
});

test('evicts the entry that was not used for longest', () => {
  const cache = createDnsCache<string>(900, () => 0);
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 1000, 100);
  cache.get('a');
  cache.set('d', 'd', 1000, 100);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    ['a', undefined, 'c', 'd'],
  );
});

test('counts a replaced value once, and stores none that is larger than the cache', () => {
  const cache = createDnsCache<number>(900, () => 0);
  for (let i = 0; i < 100; i++) cache.set('a', i, 1000, 400);
  cache.set('huge', 1, 1000, 5000);
  assert.deepEqual([cache.get('a'), cache.get('huge')], [99, undefined]);
});
