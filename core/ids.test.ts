import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseId } from './ids.ts';
import { offsetOf } from './page.ts';

test('an id is spelled in one way, and is a safe integer', () => {
  for (const id of [1, 10, 4711, Number.MAX_SAFE_INTEGER]) assert.equal(parseId(String(id)), id);
  for (const text of [
    '',
    '0',
    '007',
    '-1',
    '1e3',
    '1.5',
    ' 1',
    '1 ',
    'x1',
    '1x',
    '9007199254740992',
    '1'.repeat(17),
  ])
    assert.equal(parseId(text), null, text);
});

test('pages are counted from one', () => {
  assert.equal(offsetOf({ page: 1, limit: 50 }), 0);
  assert.equal(offsetOf({ page: 3, limit: 50 }), 100);
});
