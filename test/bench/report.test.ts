import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atLeast, type Row, ratioOf, tableOf, under } from './report.ts';

const row = (better: Row['better'], ours: number[], theirs: number[] | null): Omit<Row, 'target'> => ({
  name: 'case',
  unit: 'x',
  better,
  sandpost: { values: ours, latencies: [1, 2, 3] },
  mailpit: theirs && { values: theirs },
});

test('the ratio is over 1 where Sandpost is better', () => {
  assert.equal(ratioOf(row('more', [10, 30, 20], [10, 10, 10])), 2);
  assert.equal(ratioOf(row('less', [5], [10])), 2);
  assert.ok(Number.isNaN(ratioOf(row('less', [5], null))));
});

test('a target is met or not', () => {
  assert.equal(atLeast(2, row('more', [20], [10])).target?.met, true);
  assert.equal(atLeast(2, row('more', [19], [10])).target?.met, false);
  assert.equal(under(5, row('less', [4.9], null)).target?.met, true);
  assert.equal(under(5, row('less', [5], null)).target?.met, false);
});

test('the table is Markdown with columns of one width', () => {
  const lines = tableOf([atLeast(1, row('more', [1234.5], [1000])), row('less', [0.1234], null)]).split('\n');
  assert.equal(lines.length, 4);
  assert.equal(new Set(lines.map((line) => line.length)).size, 1);
  assert.match(lines[2] ?? '', /1,235 +\| 2\.00 \/ 3\.00 +\| 1,000 +\| +\| 1\.23 .*yes/);
  assert.match(lines[3] ?? '', /0\.123 /);
});
