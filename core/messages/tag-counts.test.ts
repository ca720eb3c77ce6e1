import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinTags, type TagCount } from './tag-counts.ts';

const cases: [string, [string, number][], [string, number][]][] = [
  ['none', [], []],
  [
    'the most used first, then by name',
    [
      ['b', 1],
      ['c', 1],
      ['a', 1],
      ['z', 2],
    ],
    [
      ['z', 2],
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ],
  ],
  [
    'one of two spellings',
    [
      ['SMOKE', 2],
      ['Smoke', 3],
      ['money', 4],
    ],
    [
      ['Smoke', 5],
      ['money', 4],
    ],
  ],
  [
    'one of two normal forms',
    [
      ['caf\u00e9', 1],
      ['cafe\u0301', 1],
    ],
    [['cafe\u0301', 2]],
  ],
];

for (const [name, given, expected] of cases) {
  test(`tags are joined: ${name}`, () => {
    const toCounts = (pairs: [string, number][]) => pairs.map(([name, count]): TagCount => ({ name, count }));
    assert.deepEqual(joinTags(toCounts(given)), toCounts(expected));
  });
}
