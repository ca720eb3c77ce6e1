import assert from 'node:assert/strict';
import { test } from 'node:test';
import { size } from './size.ts';

const cases: [number, string][] = [
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [1024, '1 KB'],
  [1536, '1.5 KB'],
  [10 * 1024, '10 KB'],
  [104_857_600, '100 MB'],
  [Number.MAX_SAFE_INTEGER, '8192 TB'],
];

for (const [bytes, text] of cases) {
  test(`${bytes} bytes are ${text}`, () => assert.equal(size(bytes), text));
}
