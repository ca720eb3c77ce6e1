import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf } from './decide.ts';

const cases: [string | number, number][] = [
  [0, 0],
  [104857600, 104857600],
  ['104857600', 104857600],
  ['100Mi', 104857600],
  ['500k', 500_000],
  ['1Ki', 1024],
  ['2G', 2_000_000_000],
  ['3Ti', 3 * 2 ** 40],
  ['7Pi', 7 * 2 ** 50],
];

for (const [quantity, bytes] of cases) {
  test(`${quantity} is ${bytes} bytes`, () => assert.equal(bytesOf(quantity), bytes));
}
