import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTable } from './administer.ts';

const titles = ['ID', 'NAME', 'KIND'];
const rows = [
  ['7', 'Käufer', 'shared'],
  ['12', 'a\u001b[2J\tb\u202ec', 'managed'],
];

test('a table for a person is aligned, and one for a program has tabs alone', () => {
  assert.equal(
    formatTable(titles, rows, true),
    ['ID  NAME       KIND', '7   Käufer     shared', '12  a?[2J?b?c  managed', ''].join('\n'),
  );
  assert.equal(formatTable(titles, rows, false), '7\tKäufer\tshared\n12\ta?[2J?b?c\tmanaged\n');
  assert.equal(formatTable(titles, [], true), 'ID  NAME  KIND\n');
  assert.equal(formatTable(titles, [], false), '');
});
