import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesInQuota } from '#core/accounts/room.ts';
import { KiB } from '#core/limits.ts';
import { hasRoom, type Load, lacking, type Room } from './room.ts';

test('an account lacks the bytes beyond its limit, and the messages beyond 1 KiB each', () => {
  const none = { bytes: 0, messages: 0 };
  const room = (usedBytes: number, messages: number, storageLimit = 2048 * 1024): Room => {
    return { storageLimit, usedBytes, messages };
  };
  const cases: [string, Room, Load, Load][] = [
    ['to the byte', room(0, 0, 100), { bytes: 100, messages: 1 }, none],
    ['one byte too many', room(1, 1, 100), { bytes: 100, messages: 1 }, { bytes: 1, messages: 0 }],
    ['an empty message', room(99, 1, 100), { bytes: 0, messages: 1 }, none],
    [
      'an empty message, and no byte',
      room(100, 1, 100),
      { bytes: 0, messages: 1 },
      { bytes: 1, messages: 0 },
    ],
    ['few messages count their bytes alone', room(0, 999, 1000), { bytes: 1, messages: 1 }, none],
    ['one more does not', room(0, 1000, 1000), { bytes: 1, messages: 1 }, { bytes: 0, messages: 1 }],
    ['1 KiB each', room(5000, 2047), { bytes: 1, messages: 1 }, none],
    ['less than 1 KiB each', room(5000, 2048), { bytes: 1, messages: 1 }, { bytes: 0, messages: 1 }],
    ['both', room(2_097_152, 2050), { bytes: 7, messages: 2 }, { bytes: 7, messages: 4 }],
  ];
  for (const [name, account, load, expected] of cases) {
    assert.deepEqual(lacking(account, load), expected, name);
    assert.equal(hasRoom(account, load), expected === none, name);
  }
});

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
