import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distinctTags, tagsOfHeaders } from './tags.ts';

const cases: [string[], string[]][] = [
  [[], []],
  [['smoke, Sign up ,smoke'], ['smoke', 'Sign up']],
  [
    ['a,,b', 'B,c'],
    ['a', 'b', 'c'],
  ],
  [[`${'x'.repeat(41)},${'\u{1F600}'.repeat(40)}`], ['\u{1F600}'.repeat(40)]],
  [['a\u0007b,c'], ['c']],
  [
    [Array.from({ length: 30 }, (_, index) => index).join()],
    Array.from({ length: 20 }, (_, index) => `${index}`),
  ],
];

for (const [values, tags] of cases) {
  test(`reads the tags of ${JSON.stringify(values).slice(0, 60)}`, () => {
    const headers = values.map((value) => ({ name: 'X-TAGS', value }));
    assert.deepEqual(tagsOfHeaders([{ name: 'X-Tag', value: 'z' }, ...headers]), tags);
  });
}

test('tags that differ in case alone are one', () => {
  assert.deepEqual(distinctTags(['Smoke', ' smoke', 'SMOKE', 'b']), ['Smoke', 'b']);
});
