import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from './arrivals.ts';

test('networks take turns, and users within a network', () => {
  const arrivals = new Arrivals<string>();
  for (const item of ['a1', 'a2', 'a3']) arrivals.push('192.0.2.1', 1, item);
  arrivals.push('192.0.2.1', 2, 'b1');
  arrivals.push('192.0.2.1', null, 'none');
  for (const item of ['c1', 'c2']) arrivals.push('192.0.2.2', 1, item);
  assert.equal(arrivals.size, 7);
  const order = Array.from({ length: 7 }, () => arrivals.shift());
  assert.deepEqual(order, ['a1', 'c1', 'b1', 'c2', 'none', 'a2', 'a3']);
  assert.deepEqual([arrivals.size, arrivals.shift()], [0, undefined]);
});
