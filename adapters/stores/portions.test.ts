import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portionsOf } from './portions.ts';

test('a portion has at most so many items and bytes, and at least one item', () => {
  const MiB = 1024 * 1024;
  const cases: [number[], number[][]][] = [
    [[], []],
    [[1, 2, 3], [[1, 2, 3]]],
    [
      [5 * MiB, 3 * MiB, 1],
      [[5 * MiB, 3 * MiB], [1]],
    ],
    [
      [1, 9 * MiB, 1],
      [[1], [9 * MiB], [1]],
    ],
    [Array(1001).fill(0), [Array(500).fill(0), Array(500).fill(0), [0]]],
  ];
  for (const [sizes, expected] of cases) {
    assert.deepEqual([...portionsOf(sizes, (size) => size)], expected);
  }
});
