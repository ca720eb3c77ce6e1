import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { searching } from '#test/support/stores/searching.ts';
import { marksFor, marksOf } from './message-rows.ts';

const cases: [MessageFilter, number[] | null][] = [
  [{}, null],
  [searching({ words: ['a'] }), null],
  [{ unread: true }, [1, 3, 5, 7]],
  [{ unread: false }, [0, 2, 4, 6]],
  [{ flagged: true, unread: false }, [2, 6]],
  [{ hasAttachments: true, flagged: false, unread: true }, [5]],
];
for (const [filter, marks] of cases) {
  test(`${JSON.stringify(filter)} lets the marks ${JSON.stringify(marks)} pass`, () => {
    assert.deepEqual(marksFor(filter), marks);
  });
}

test('marks have a bit for each flag', () => {
  const none = { isRead: true, isFlagged: false, hasAttachments: false };
  assert.equal(marksOf(none), 0);
  assert.equal(marksOf({ ...none, isRead: false }), 1);
  assert.equal(marksOf({ ...none, isFlagged: true }), 2);
  assert.equal(marksOf({ ...none, hasAttachments: true }), 4);
  assert.equal(marksOf({ isRead: false, isFlagged: true, hasAttachments: true }), 7);
});
