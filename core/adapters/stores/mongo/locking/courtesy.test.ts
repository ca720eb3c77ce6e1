import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCourtesy } from './courtesy.ts';

/** The `count`th turn of user 1: it began right after the one before it, and took 10 ms. */
const turn = ({ giveMs }: ReturnType<typeof createCourtesy>, count: number) =>
  giveMs(count * 10, count * 10 + 10, new Map([[1, count]]));

test('who sees that another had a turn gives way for as long as that may take', () => {
  const courtesy = createCourtesy();
  assert.equal(turn(courtesy, 7), 0, 'nothing is known of turns before the first');
  assert.equal(turn(courtesy, 8), 0);
  assert.equal(turn(courtesy, 10), 14);
  assert.equal(turn(courtesy, 11), 0);
});

test('who takes turn after turn leaves a gap now and then, in case somebody waits', () => {
  const courtesy = createCourtesy();
  const given = Array.from({ length: 40 }, (_, i) => turn(courtesy, i + 1));
  assert.deepEqual(
    given.flatMap((ms, i) => (ms > 0 ? i : [])),
    [19, 39],
  );
  courtesy.giveMs(1000, 1010, new Map());
  for (let i = 1; i < 19; i += 1) assert.equal(courtesy.giveMs(1000 + 10 * i, 1010 + 10 * i, new Map()), 0);
  assert.equal(courtesy.giveMs(2000, 2010, new Map()), 0, 'after a gap it counts anew');
});

test('a turn is tried for more often than others give way, and neither at once nor after long', () => {
  const courtesy = createCourtesy();
  courtesy.giveMs(0, 100, new Map());
  for (let i = 0; i < 100; i += 1) {
    const ms = courtesy.retryMs();
    assert.ok(ms >= 2 && ms < 100, `${ms} ms`);
  }
});
