import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs } from './duration.ts';

for (const [text, ms] of [
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['0s', 0],
  ['1500ms', 1500],
] as const) {
  test(`${text} is ${ms} ms`, () => {
    assert.equal(durationMs(text), ms);
  });
}
