import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairQueue } from './fair-queue.ts';

test('takes items in turn by party, and those of one party in order', () => {
  const queue = new FairQueue<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.slice(0, 1), item);
  assert.equal(queue.size, 6);
  assert.deepEqual(
    Array.from({ length: 7 }, () => queue.shift()),
    ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined],
  );
  assert.equal(queue.size, 0);
});

test('a party that comes late waits for one item of each other party', () => {
  const queue = new FairQueue<string>();
  for (let at = 0; at < 1000; at++) queue.push('flood', `flood ${at}`);
  queue.shift();
  queue.push('late', 'late');
  assert.deepEqual([queue.shift(), queue.shift()], ['flood 1', 'late']);
});

test('an item can go before the others of its party, not before other parties', () => {
  const queue = new FairQueue<string, number>();
  queue.push(1, 'a1');
  queue.push(2, 'b1');
  queue.unshift(2, 'b0');
  assert.deepEqual([queue.sizeOf(1), queue.sizeOf(2), queue.sizeOf(3)], [1, 2, 0]);
  assert.deepEqual([queue.shift(), queue.shift(), queue.shift()], ['a1', 'b0', 'b1']);
});
