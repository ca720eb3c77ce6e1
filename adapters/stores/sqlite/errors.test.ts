import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Duplicate, Invalid, invalid, NotFound, StoreFull, StoreUnavailable } from '#core/errors.ts';
import { receiveError, sendError, toCoreError } from './errors.ts';

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

test('an error keeps its name and message between threads', () => {
  assert.deepEqual(sendError(ofSqlite(13)), {
    name: 'StoreFull',
    message: 'The disk of the store is full',
    fields: { name: 'StoreFull' },
  });
  assert.deepEqual(sendError('a text'), { name: 'Error', message: 'a text', fields: {} });
  assert.ok(receiveError(sendError(new NotFound())) instanceof NotFound);
  const refused = receiveError(sendError(invalid('role', 'is full', 'teams.members')));
  assert.ok(refused instanceof Invalid);
  assert.deepEqual([refused.message, refused.limits], ['role: is full', ['teams.members']]);
  assert.equal(receiveError({ name: 'TypeError', message: 'm', fields: {} }).constructor, Error);
});
