import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCoreError } from '#adapters/stores/sqlite/workers/calls.ts';
import { Duplicate, StoreFull, StoreUnavailable } from '#core/errors.ts';

const thrown = (words: object) => Object.assign(new Error('as SQLite says it'), words);
const ofSqlite = (errcode: number) => thrown({ code: 'ERR_SQLITE_ERROR', errcode });

test('a full disk and an unusable store have different errors, also with extended codes', () => {
  assert.ok(toCoreError(ofSqlite(13)) instanceof StoreFull);
  for (const errcode of [5, 6, 7, 8, 10, 11, 14, 26, 522]) {
    const error = toCoreError(ofSqlite(errcode));
    assert.ok(error instanceof StoreUnavailable, String(errcode));
    assert.match(error.message, /as SQLite says it/);
  }
  assert.ok(toCoreError(thrown({ code: 'ERR_INVALID_STATE' })) instanceof StoreUnavailable);
  for (const errcode of [1555, 2067]) assert.ok(toCoreError(ofSqlite(errcode)) instanceof Duplicate);
});

test('any other error is given unchanged', () => {
  const others = [
    ofSqlite(19),
    thrown({ code: 'ERR_SQLITE_ERROR' }),
    thrown({ code: 'ENOENT', errcode: 13 }),
    thrown({ errcode: 13 }),
    { code: 'ERR_SQLITE_ERROR', errcode: 13 },
  ];
  for (const other of others) assert.equal(toCoreError(other), other);
});
