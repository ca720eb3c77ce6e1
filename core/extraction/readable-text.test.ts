import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addedLines, readableText } from './readable-text.ts';

/** Text parts, visible texts in HTML, and the lines that the HTML adds. */
const cases: [text: string | null, seen: string | null, added: string | null][] = [
  [null, null, null],
  ['Hello', null, null],
  ['Hello', '', null],
  [null, 'Hello', 'Hello'],
  [' \r\n', 'Hello\n\nAnn', 'Hello\n\nAnn'],
  ['Hello', 'Hello', null],
  ['Hello\nAnn', 'Hello Ann', null],
  ['Hello Ann,\nyour code is\n482913.', 'Hello Ann, your code is 482913.', null],
  ['Hello Ann', 'Ann Hello', 'Ann Hello'],
  ['Hello to Ann', 'Hello\nAnn', null],
  ['Hello Ann', 'Hello\n\nBob\nAnn', 'Bob'],
  ['Hello Ann', 'Ann\nBob\n\nHello\n\nEve', 'Bob\n\nEve'],
  ['Dear *Ann*', 'Dear Ann', 'Dear Ann'],
  ['welcome', 'WELCOME', 'WELCOME'],
  ['* one\n* two', 'one\ntwo', null],
  ['\u65e5\u672c', '\u65e5\u672c\n\u8a9e', '\u8a9e'],
];

for (const [text, seen, added] of cases)
  test(`${JSON.stringify(seen)} adds to ${JSON.stringify(text)} what it lacks`, () => {
    assert.equal(addedLines(text, seen), added);
  });

test('a readable text has the text part first', () => {
  assert.equal(readableText('a\n', 'b'), 'a\n\nb');
  assert.equal(readableText('a\n', null), 'a\n');
  assert.equal(readableText(' ', 'b'), 'b');
  assert.equal(readableText(null, null), null);
});

test('compares megabytes in linear time', () => {
  for (const filler of [
    ...['a ', 'a\n', 'a', ' ', '\n', 'ab cd\n', '\u65e5\n'],
    ...[`${'a'.repeat(4000)}b${'a'.repeat(4000)}\n`, `${'ab'.repeat(100)}\n`, `${'a'.repeat(200)} b\n`],
  ]) {
    const long = filler.repeat(1_048_576 / filler.length);
    const started = process.cpuUsage();
    addedLines(long, `x${long}`);
    addedLines(long.replaceAll('b', ''), long);
    const { user } = process.cpuUsage(started);
    assert.ok(user < 2_000_000, `${JSON.stringify(filler.slice(0, 20))}: ${user} µs`);
  }
});
