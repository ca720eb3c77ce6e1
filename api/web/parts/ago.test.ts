import assert from 'node:assert/strict';
import { test } from 'node:test';

// The module starts a timer, which must not keep this process alive.
const { setInterval } = globalThis;
globalThis.setInterval = ((...given: Parameters<typeof setInterval>) =>
  setInterval(...given).unref()) as typeof setInterval;
const { ago } = await import('./ago.ts');

const now = new Date(2026, 10, 21, 12, 0).getTime();
const minute = 60_000;
const cases: [number, string][] = [
  [0, 'now'],
  [-5 * minute, 'now'],
  [59_999, 'now'],
  [minute, '1 min'],
  [59.9 * minute, '59 min'],
  [60 * minute, '1 h'],
  [23.9 * 60 * minute, '23 h'],
  [24 * 60 * minute, '1 d'],
  [6.9 * 24 * 60 * minute, '6 d'],
  [10 * 24 * 60 * minute, 'Nov 11'],
  [400 * 24 * 60 * minute, 'Oct 17, 2025'],
];
for (const [age, text] of cases)
  test(`${age / minute} minutes: ${text}`, () => assert.equal(ago(now - age, now), text));
