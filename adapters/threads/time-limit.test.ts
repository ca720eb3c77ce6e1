import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginTurn, Interrupted, inTurn, OuterInterrupted, withTimeLimit } from './time-limit.ts';

const explode = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`);
const loop = () => {
  for (;;);
};

test('work returns its result and throws its errors', () => {
  assert.equal(
    withTimeLimit(1000, () => 7),
    7,
  );
  assert.throws(() => withTimeLimit(1000, () => assert.fail('why')), assert.AssertionError);
});

test('work that takes too long is interrupted, and the next one runs', () => {
  for (const work of [loop, explode]) {
    assert.throws(() => withTimeLimit(20, work), Interrupted);
    assert.equal(
      withTimeLimit(1000, () => 8),
      8,
    );
  }
});

test('work within other work has a time of its own, and ends with it', () => {
  const inner = () => {
    try {
      withTimeLimit(20, loop);
    } catch (error) {
      return error instanceof Interrupted;
    }
  };
  assert.equal(withTimeLimit(5000, inner), true);
  assert.throws(() => withTimeLimit(20, () => withTimeLimit(60_000, loop)), Interrupted);
});

test('work whose time is over with that of inner work ends', () => {
  const rest = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  const inner = () => {
    rest();
    loop();
  };
  const outer = () => {
    for (;;) {
      try {
        withTimeLimit(40, inner);
      } catch (error) {
        if (error instanceof OuterInterrupted) throw error;
      }
    }
  };
  assert.throws(() => withTimeLimit(20, outer), Interrupted);
});

test('a turn bounds work once it is set', () => {
  assert.equal(
    inTurn(() => 9),
    9,
  );
  beginTurn(20);
  assert.throws(() => inTurn(loop), Interrupted);
  beginTurn(Number.POSITIVE_INFINITY);
});
