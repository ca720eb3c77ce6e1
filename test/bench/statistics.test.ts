import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, percentile } from './statistics.ts';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

/** Cases: values, share, the nearest rank. */
const ranks: [number[], number, number][] = [
  [hundred, 0.5, 50],
  [hundred, 0.99, 99],
  [hundred, 1, 100],
  [[7], 0.99, 7],
  [[3, 1, 2], 0, 1],
  [[], 0.5, Number.NaN],
];

for (const [values, share, expected] of ranks) {
  test(`percentile ${share} of ${values.length} values`, () => {
    assert.equal(percentile(values, share), expected);
  });
}

test('the median is the middle, or the mean of the two middle ones', () => {
  assert.equal(median([9, 1, 5]), 5);
  assert.equal(median([10, 2, 4, 9]), 6.5);
  assert.ok(Number.isNaN(median([])));
});
