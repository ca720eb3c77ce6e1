import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '#core/limits.ts';
import { turnOf, turnOfStream } from './event-loop.ts';

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

test('work begins in a turn, however long the stream before it took', async (t) => {
  await nextTurn();
  let nowMs = 1000;
  t.mock.method(performance, 'now', () => nowMs);
  let begun = false;
  const slow = turnOfStream(1).then(() => {
    nowMs += 2 * limits.answers.turnMs;
  });
  const work = turnOf(2).then(() => {
    begun = true;
  });
  await nextTurn();
  assert.equal(begun, true);
  await Promise.all([slow, work]);
});

test('work that continues goes before other work of its user, and one stream goes on in a turn', async (t) => {
  // The turn's time never runs out.
  t.mock.method(performance, 'now', () => 1000);
  // The previous test's turn ends.
  await nextTurn();
  const order: string[] = [];
  const as = (name: string) => () => order.push(name);
  const all = [
    turnOfStream(1).then(as('stream 1')),
    turnOfStream(1).then(as('stream 2')),
    turnOf(1).then(as('new')),
    turnOf(1, { continues: true }).then(as('begun')),
  ];
  await nextTurn();
  assert.deepEqual(order, ['stream 1', 'begun', 'new']);
  await Promise.all(all);
  assert.deepEqual(order, ['stream 1', 'begun', 'new', 'stream 2']);
});
