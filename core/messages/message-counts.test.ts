import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KiB } from '#core/limit.ts';
import { bytesInQuota } from './message-counts.ts';

const cases: [title: string, size: number, kept: number, content: number, counted: number][] = [
  ['an ordinary mail counts its size', 400, 300, 3 * KiB, 400],
  ['an envelope counts beyond 2 KiB', 2, 60 * KiB, 0, 2 + 58 * KiB],
  ['a small content is that of an ordinary mail', 1_400, 0, 15 * KiB, 1_400],
  ['a content counts beyond 16 KiB', 1_400, 0, 20 * KiB, 1_400 + 4 * KiB],
  ['a content counts beyond four times the body', 10 * KiB, 0, 45 * KiB, 15 * KiB],
  ['a long mail with a long header counts its size', 100 * KiB, 0, 300 * KiB, 100 * KiB],
];

for (const [title, size, kept, content, counted] of cases) {
  test(title, () => assert.equal(bytesInQuota(size, kept, content), counted));
}
