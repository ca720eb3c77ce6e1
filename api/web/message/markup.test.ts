import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from './markup.ts';

test('a short line stays, and a long one has a row for each tag after another', () => {
  assert.deepEqual(rowsOf('<p><b>x</b></p>'), ['<p><b>x</b></p>']);
  const words = 'word '.repeat(30);
  assert.deepEqual(rowsOf(`<table> <tr><td>${words}<br>x</td></tr></table><p>y`), [
    '<table>',
    '  <tr>',
    `    <td>${words}<br>x</td>`,
    '  </tr>',
    '</table>',
    '<p>y',
  ]);
});

test('a hostile line is split in linear time', () => {
  for (const piece of ['<', '>', '> ', '<a', '</a>', '" '])
    assert.ok(rowsOf(piece.repeat(200_000)).length > 0, piece);
});
