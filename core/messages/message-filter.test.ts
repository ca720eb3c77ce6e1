import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuery } from '#core/query/parse.ts';
import { searching } from '#test/support/stores/searching.ts';
import { filterWith, type MessageFilter, workOf } from './message-filter.ts';
import type { ListWork } from './query.ts';

const cases: [MessageFilter, ListWork][] = [
  [{}, 'page'],
  [{ accountId: 1, mailboxId: 2, after: 3 }, 'page'],
  [{ unread: true }, 'index'],
  [{ unread: false }, 'index'],
  [{ flagged: true }, 'index'],
  [{ hasAttachments: false, mailboxId: 2 }, 'index'],
  [{ mailboxPath: 'Sent' }, 'index'],
  [searching({ to: 'a' }), 'heads'],
  [{ ...searching({ from: 'a' }), unread: true }, 'heads'],
  [{ ...searching({ subject: 'a' }), after: 3 }, 'heads'],
  [searching({ words: ['a'] }), 'texts'],
  [{ ...searching({ words: ['a'], to: 'b' }), unread: true }, 'texts'],
];
for (const [filter, work] of cases) {
  test(`a list by ${JSON.stringify(filter)} takes the work "${work}"`, () => {
    assert.equal(workOf(filter, { page: 1, limit: 200 }), work);
  });
}

test('a page far behind the first takes the work "heads"', () => {
  assert.equal(workOf({}, { page: 11, limit: 200 }), 'page');
  assert.equal(workOf({}, { page: 12, limit: 200 }), 'heads');
  assert.equal(workOf({ unread: true }, { page: 12, limit: 200 }), 'heads');
  assert.equal(workOf(searching({ words: ['a'] }), { page: 12, limit: 200 }), 'texts');
});

const flagged: [q: string, MessageFilter][] = [
  ['is:unread', { unread: true }],
  ['-is:unread', { unread: false }],
  ['is:read -is:flagged', { unread: false, flagged: false }],
  ['-is:unflagged', { flagged: true }],
  ['has:attachment', { hasAttachments: true }],
  ['-has:attachment', { hasAttachments: false }],
];
for (const [q, filter] of flagged) {
  test(`"${q}" is a filter by flags`, () => {
    assert.deepEqual(filterWith({}, parseQuery(q)), filter);
  });
}

test('a term that contradicts a flag stays in the query', () => {
  const { unread, query } = filterWith({ unread: true }, parseQuery('is:read'));
  assert.equal(unread, true);
  assert.notEqual(query, undefined);
});
