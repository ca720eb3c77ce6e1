import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMinuteLog } from './overflow.ts';

test('a cause is told at once, and then once a minute with its number of times', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const told: [string, number][] = [];
  const log = createMinuteLog();
  const note = (cause: string) => log.count(cause, (times) => told.push([cause, times]));
  const since = () => told.splice(0);
  for (let i = 0; i < 5; i += 1) note('a');
  note('b');
  assert.deepEqual(since(), [
    ['a', 1],
    ['b', 1],
  ]);
  t.mock.timers.tick(59_999);
  assert.deepEqual(since(), []);
  t.mock.timers.tick(1);
  assert.deepEqual(since(), [['a', 4]]);
  note('a');
  note('b');
  assert.deepEqual(since(), [['b', 1]], 'a minute without a second time ends');
  t.mock.timers.tick(60_000);
  assert.deepEqual(since(), [['a', 1]]);
  t.mock.timers.tick(60_000);
  note('a');
  assert.deepEqual(since(), [['a', 1]]);
});

test('many causes at a time take no more memory than 1,000 of them', () => {
  let told = 0;
  const log = createMinuteLog();
  for (let index = 0; index < 5000; index += 1) log.count(`account ${index}`, () => (told += 1));
  assert.equal(told, 1000);
});
