import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageSummary } from '../client/shapes.ts';
import { Rows } from './rows.ts';

const item = (id: number) => ({ id, is_read: false }) as MessageSummary;
const items = (...ids: number[]) => ids.map(item);
const ids = (rows: Rows) =>
  Array.from({ length: rows.total }, (_, position) => rows.at(position)?.id ?? null);

test('pages take their positions, and rows between them are unknown', () => {
  const rows = new Rows();
  rows.setPage(0, items(9, 8), 6);
  rows.setPage(4, items(5, 4), 6);
  assert.deepEqual(ids(rows), [9, 8, null, null, 5, 4]);
  assert.deepEqual([rows.indexOf(5), rows.indexOf(7), rows.has(8)], [4, -1, true]);
});

test('new mail moves everything down, once', () => {
  const rows = new Rows();
  rows.setPage(0, items(3, 2), 2);
  assert.deepEqual(rows.prepend(items(5, 4, 3)), items(5, 4));
  assert.deepEqual(rows.prepend(items(5)), []);
  assert.deepEqual(ids(rows), [5, 4, 3, 2]);
});

test('a page that overlaps leaves no message twice', () => {
  const rows = new Rows();
  rows.setPage(0, items(5, 4, 3), 5);
  rows.setPage(3, items(3, 2), 5);
  assert.deepEqual(ids(rows), [5, 4, null, 3, 2]);
  rows.setPage(0, items(4), 1);
  assert.deepEqual(ids(rows), [4]);
  assert.equal(rows.has(3), false);
});

test('a page that begins before the list, as mail came meanwhile, is cut', () => {
  const rows = new Rows();
  rows.setPage(-1, items(6, 5, 4), 4);
  assert.deepEqual(ids(rows), [5, 4, null, null]);
});

test('a row is removed or changed at any position', () => {
  const rows = new Rows();
  rows.setPage(2, items(5, 4, 3), 6);
  assert.equal(rows.remove([4]), true);
  assert.equal(rows.remove([4]), false);
  rows.change(3, { is_read: true });
  rows.change(77, { is_read: true });
  assert.deepEqual(ids(rows), [null, null, 5, 3, null]);
  assert.equal(rows.find(3)?.is_read, true);
  assert.deepEqual(rows.known().length, 2);
});
