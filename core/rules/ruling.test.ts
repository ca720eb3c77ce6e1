import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MailRule, RuleWords } from './mail-rule.ts';
import { type Ruling, rulingOf } from './ruling.ts';

const receivedAt = new Date('2026-11-25T10:00:00Z');
const words: RuleWords = {
  ...{ name: 'a rule', q: 'yes', active: true, tags: [], mailbox: null, isFlagged: false, isRead: false },
  ...{ expiresIn: null, discard: false },
};
const nothing: Ruling = {
  ...{ rules: [], tags: [], mailbox: null, isFlagged: false, isRead: false, expiresAt: null },
  discardedBy: null,
};
const many = (from: number, count: number) => Array.from({ length: count }, (_, index) => `t${from + index}`);

/** Rules, and their effect on a matching email. */
const cases: [string, Partial<RuleWords>[], Partial<Ruling>][] = [
  ['no rule', [], {}],
  ['a rule that does nothing is applied', [{}], { rules: [1] }],
  ['flags add up', [{ isRead: true }, { isFlagged: true }], { rules: [1, 2], isRead: true, isFlagged: true }],
  [
    'tags add up, each once',
    [{ tags: ['a', 'b'] }, { tags: ['b', 'c'] }],
    { rules: [1, 2], tags: ['a', 'b', 'c'] },
  ],
  ['twenty tags', [{ tags: many(0, 15) }, { tags: many(10, 20) }], { rules: [1, 2], tags: many(0, 20) }],
  ['the first mailbox', [{}, { mailbox: 'A' }, { mailbox: 'B' }], { rules: [1, 2, 3], mailbox: 'A' }],
  [
    'the first time',
    [{ expiresIn: 90 }, { expiresIn: 30 }],
    { rules: [1, 2], expiresAt: new Date('2026-11-25T10:01:30Z') },
  ],
  [
    'nothing behind a rule that discards',
    [{ mailbox: 'A' }, { discard: true, isRead: true }, { isFlagged: true }],
    { rules: [1, 2], mailbox: 'A', discardedBy: 2 },
  ],
];

for (const [name, given, expected] of cases) {
  test(`a ruling has ${name}`, () => {
    const rules = given.map((one, index): MailRule => {
      return { ...words, ...one, id: index + 1, position: index + 1, matched: 0, discarded: 0 };
    });
    assert.deepEqual(rulingOf(rules, receivedAt), { ...nothing, ...expected });
  });
}
