import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { limits } from '#core/limits.ts';
import { turnOf, turnToBegin } from './event-loop.ts';

/** Clock that the test sets. */
function clockOf(t: TestContext): { nowMs: number } {
  const clock = { nowMs: 1000 };
  t.mock.method(performance, 'now', () => clock.nowMs);
  return clock;
}

test('callers wait after some milliseconds of work, and parties take turns', async (t) => {
  const clock = clockOf(t);
  assert.equal(turnOf(1), undefined);
  clock.nowMs += limits.answers.turnMs - 1;
  assert.equal(turnOf(1), undefined);
  clock.nowMs += 1;
  const order: string[] = [];
  const wait = async (name: string, turn: Promise<void> | undefined) => {
    assert.ok(turn, name);
    await turn;
    order.push(name);
  };
  await Promise.all([
    wait('a1', turnOf(1)),
    wait('a2', turnOf(1)),
    wait('b1', turnOf(2)),
    wait('a0', turnOf(1, { continues: true })),
    wait(
      'late',
      nextTurn().then(() => turnOf(3)),
    ),
  ]);
  assert.deepEqual(order.slice(0, 2), ['a0', 'b1']);
  assert.deepEqual(order.toSorted(), ['a0', 'a1', 'a2', 'b1', 'late']);
  assert.ok(order.indexOf('a1') < order.indexOf('a2'));
  await nextTurn();
  await nextTurn();
  assert.equal(turnOf(1), undefined, 'the next turn is a new one');
  await nextTurn();
});

test('a turn resumes one piece of work, and begins requests until its time is used up', async (t) => {
  const clock = clockOf(t);
  assert.equal(turnOf(1), undefined);
  clock.nowMs += limits.answers.turnMs;
  const order: string[] = [];
  const spend = async (name: string, ms: number, turn: Promise<void> | undefined) => {
    assert.ok(turn, name);
    await turn;
    // A caller may pause at promises before it works.
    await null;
    clock.nowMs += ms;
    order.push(name);
  };
  const all = [
    ...[1, 2, 3].map(() => spend('work', 1, turnOf(1))),
    ...[1, 2, 3, 4, 5].map(() => spend('request', 2, turnToBegin('192.0.2.1', null))),
  ];
  await nextTurn();
  assert.equal(order.join(' '), 'work request request');
  await Promise.all(all);
  assert.equal(order.join(' '), 'work request request work request request work request');
});
