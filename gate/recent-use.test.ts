import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentUse } from './recent-use.ts';

test('half of a use counts after 15 seconds, and later uses are added', () => {
  let now = 0;
  const use = new RecentUse<number>(() => now);
  assert.equal(use.of(1), 0);
  use.add(1, 100);
  assert.equal(use.of(1), 100);
  now = 15_000;
  assert.equal(use.of(1), 50);
  use.add(1, 10);
  now = 30_000;
  assert.equal(use.of(1), 30);
  assert.equal(use.of(2), 0);
});

test('a use is forgotten when others take something after some minutes', () => {
  let now = 0;
  const use = new RecentUse<number>(() => now);
  use.add(1, 1e9);
  now = 149_000;
  use.add(2, 1);
  assert.ok(use.of(1) > 0);
  now = 151_000;
  use.add(2, 1);
  assert.equal(use.of(1), 0);
});
