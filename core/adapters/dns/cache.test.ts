import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDnsCache } from './cache.ts';

test('a value lives as long as it was given, and one of no lifetime not at all', () => {
  let now = 0;
  const cache = createDnsCache<string>(10_000, () => now);
  cache.set('a', 'A', 1000, 10);
  cache.set('b', 'B', 0, 10);
  now = 999;
  assert.deepEqual([cache.get('a'), cache.get('b')], ['A', undefined]);
  now = 1000;
  assert.equal(cache.get('a'), undefined);
});

test('what was not used for longest gives way to what is new', () => {
  const cache = createDnsCache<string>(900, () => 0);
  for (const key of ['a', 'b', 'c']) cache.set(key, key, 1000, 100);
  cache.get('a');
  cache.set('d', 'd', 1000, 100);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((key) => cache.get(key)),
    ['a', undefined, 'c', 'd'],
  );
});

test('a value set again counts once, and one that is larger than the cache is not kept', () => {
  const cache = createDnsCache<number>(900, () => 0);
  for (let i = 0; i < 100; i++) cache.set('a', i, 1000, 400);
  cache.set('huge', 1, 1000, 5000);
  assert.deepEqual([cache.get('a'), cache.get('huge')], [99, undefined]);
});
