import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Id } from '#core/ids.ts';
import { type BulkRow, compareListed, planBulkChange } from './bulk-change.ts';
import type { BulkAction } from './message.ts';

const at = new Date(0);

/** Row in an account's INBOX, whose ID is the account's ID times ten. */
function row(id: Id, words: Partial<BulkRow> = {}): BulkRow {
  const accountId = words.accountId ?? 1;
  const flags = { isRead: false, isFlagged: false, copy: false, sentCopy: false, tags: [] };
  return { id, number: id, accountId, mailboxId: accountId * 10, sizeBytes: 100, ...flags, ...words };
}

const targets = new Map([[1, { id: 15, pathKey: 'sent' }]]);
const read: BulkAction = { do: 'update', change: { isRead: true } };
const unflag: BulkAction = { do: 'update', change: { isFlagged: false } };
const full = Array.from({ length: 20 }, (_, i) => `${i}`);
const move: BulkAction = { do: 'move', path: 'Sent' };

type Case = {
  rows: BulkRow[];
  action: Exclude<BulkAction, { do: 'remove' }>;
  updates: Partial<BulkRow>[];
  /** Total, unread, bytes and copies, by mailbox. */
  counts?: Record<Id, [number, number, number, number]>;
  /** IDs in each event. */
  events: Id[][];
  unplaced?: number;
};

const cases: Record<string, Case> = {
  'only unread messages become read': {
    rows: [row(3), row(2, { isRead: true }), row(1)],
    action: read,
    updates: [{ id: 3 }, { id: 1 }],
    counts: { 10: [0, -2, 0, 0] },
    events: [[3, 1]],
  },
  'a flag changes no counts': {
    rows: [row(2, { isFlagged: true }), row(1)],
    action: unflag,
    updates: [{ id: 2, isFlagged: false }],
    events: [[2]],
  },
  'each mailbox has an event': {
    rows: [row(3), row(2, { accountId: 2 }), row(1), row(4, { mailboxId: 11 })],
    action: read,
    updates: [{ id: 3 }, { id: 2 }, { id: 1 }, { id: 4 }],
    counts: { 10: [0, -2, 0, 0], 20: [0, -1, 0, 0], 11: [0, -1, 0, 0] },
    events: [[3, 1], [2], [4]],
  },
  'a move takes counts along, and copies count in Sent': {
    rows: [row(2, { copy: true, isRead: true }), row(1, { countedBytes: 700 })],
    action: move,
    updates: [
      { id: 2, mailboxId: 15, sentCopy: true },
      { id: 1, mailboxId: 15, sentCopy: false },
    ],
    counts: { 10: [-2, -1, -800, 0], 15: [2, 1, 800, 1] },
    events: [[2, 1]],
  },
  'a tag is added where it is missing and there is room, without regard to case': {
    rows: [row(4), row(3, { tags: ['Smoke'] }), row(2, { tags: full }), row(1, { tags: ['b'] })],
    action: { do: 'tag', tag: 'smoke' },
    updates: [
      { id: 4, tags: ['smoke'] },
      { id: 1, tags: ['b', 'smoke'] },
    ],
    events: [[4, 1]],
  },
  'a tag is taken off': {
    rows: [row(3), row(2, { tags: ['a', 'Smoke', 'b'] }), row(1, { tags: full })],
    action: { do: 'untag', tag: 'smoke' },
    updates: [{ id: 2, tags: ['a', 'b'] }],
    events: [[2]],
  },
  'a message stays where its account has no such mailbox, or it is there': {
    rows: [row(2, { accountId: 2 }), row(1, { mailboxId: 15 })],
    action: move,
    updates: [],
    events: [],
    unplaced: 1,
  },
};

for (const [name, { rows, action, updates, counts = {}, events, unplaced = 0 }] of Object.entries(cases)) {
  test(name, () => {
    const plan = planBulkChange(rows, action, targets, at);
    const comparable = plan.updates.map((update, i) => ({ ...update, ...updates[i] }));
    assert.deepEqual(plan.updates, comparable);
    assert.equal(plan.updates.length, updates.length);
    assert.deepEqual(
      Object.fromEntries(
        [...plan.counts].map(([id, { total, unread, bytes, sentCopies }]) => [
          id,
          [total, unread, bytes, sentCopies],
        ]),
      ),
      counts,
    );
    assert.deepEqual(
      plan.events.map((event) => ('messageIds' in event && event.messageIds) || [event.messageId]),
      events,
    );
    assert.equal(plan.unplaced, unplaced);
  });
}

test('rows that differ from the list are left, and missing ones are neither', () => {
  const listed = [row(5), row(4), row(3), row(2), row(1)];
  const rows = [row(1), row(2, { isRead: true }), row(3, { tags: ['a'] }), row(4, { mailboxId: 99 })];
  const { same, left } = compareListed(listed, rows);
  assert.deepEqual([same.map(({ id }) => id), left], [[1], [4, 3, 2]]);
});
