import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOf } from './excerpt.ts';

const long = `${'a'.repeat(500)}DISPLAY: flex${'b'.repeat(500)}`;
const cases: [name: string, text: string, line: number, wanted: string, lines: string[]][] = [
  ['the first line', 'one\ntwo\nthree', 1, '', ['1 one', '2 two']],
  ['a line between', 'one\r\ntwo\r\nthree\r\nfour', 2, 'x', ['1 one', '2 two', '3 three']],
  ['the last line', 'one\ntwo', 2, '', ['1 one', '2 two']],
  ['a line beyond the end', 'one', 7, '', []],
  ['a long line, around what is wanted', long, 1, 'display', [`1 …${long.slice(460, 620)}…`]],
  ['a long line without what is wanted', long, 1, 'grid', [`1 ${long.slice(0, 160)}…`]],
  ['the end of a long line', `${'a'.repeat(200)}flex`, 1, 'flex', [`1 …${'a'.repeat(156)}flex`]],
];
for (const [name, text, line, wanted, lines] of cases) {
  test(`an excerpt has ${name}`, () => {
    const excerpt = excerptOf(text, line, wanted).map(({ number, text }) => `${number} ${text}`);
    assert.deepEqual(excerpt, lines);
  });
}
