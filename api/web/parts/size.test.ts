import assert from 'node:assert/strict';
import { test } from 'node:test';
import { size } from './size.ts';

const cases: [number, string][] = [
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [2000, '2 KiB'],
  [10 * 1024, '10 KiB'],
  [104_857_600, '100 MiB'],
  [Number.MAX_SAFE_INTEGER, '8192 TiB'],
];

for (const [bytes, text] of cases) {
  test(`${bytes} bytes are ${text}`, () => assert.equal(size(bytes), text));
}
