import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { turnOf } from './event-loop.ts';
import { limits } from './limits.ts';

test('users take turns, and a turn begins work until its time is used up', async (t) => {
  let nowMs = 1000;
  t.mock.method(performance, 'now', () => nowMs);
  const order: string[] = [];
  const work = async (user: number, name: string) => {
    await turnOf(user);
    // A caller may pause at promises before it works.
    await null;
    nowMs += limits.answers.turnMs / 2;
    order.push(name);
  };
  const all = [work(1, 'a1'), work(1, 'a2'), work(1, 'a3'), work(2, 'b1'), work(3, 'c1')];
  await nextTurn();
  assert.deepEqual(order, ['a1', 'b1']);
  await Promise.all(all);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'a3']);
});
