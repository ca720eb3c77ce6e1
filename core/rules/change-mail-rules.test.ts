import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid, NotFound } from '#core/errors.ts';
import { addMailRule, removeMailRule, setMailRule } from './change-mail-rules.ts';
import type { MailRule, RuleWords } from './mail-rule.ts';

const team = { id: 3, name: 'Checkout', kind: 'shared', createdAt: new Date(0) } as const;
const words: RuleWords = {
  ...{ name: 'a rule', q: 'x', active: true, tags: [], mailbox: null, isFlagged: false, isRead: false },
  ...{ expiresIn: null, discard: false },
};
const rule = (id: number, position: number): MailRule => ({
  ...words,
  id,
  position,
  matched: 5,
  discarded: 0,
});
const mailRules = [rule(11, 1), rule(12, 2), rule(13, 3)];
const facts = { newMailRule: 20, team, mailRules } as never;

/** Returns the writes: IDs with their new positions, and removed IDs. */
function written({ writes }: ReturnType<typeof setMailRule.plan>): unknown[] {
  return writes.flatMap((write): unknown[] => {
    if (write.do === 'remove-mail-rules') return write.ids ?? [];
    return write.do === 'put-mail-rules' ? write.rules.map(({ id, position }) => [id, position]) : [write];
  });
}

for (const [name, plan, expected] of [
  ['a new rule is the last', () => addMailRule.plan(facts, { team: 3, words }), [[20, 4]]],
  [
    'a new rule is put before others',
    () => addMailRule.plan(facts, { team: 3, words, position: 2 }),
    [
      [20, 2],
      [12, 3],
      [13, 4],
    ],
  ],
  ['a rule that is changed stays', () => set({}), [[12, 2]]],
  [
    'a rule moves to the front',
    () => set({ position: 1 }),
    [
      [12, 1],
      [11, 2],
    ],
  ],
  [
    'a rule moves to the end',
    () => set({ position: 3 }),
    [
      [12, 3],
      [13, 2],
    ],
  ],
  [
    'a place beyond the end is the end',
    () => set({ position: 99 }),
    [
      [12, 3],
      [13, 2],
    ],
  ],
  [
    'a removal closes the gap',
    () => removeMailRule.plan(facts, { team: 3, mailRule: 11 }),
    [11, [12, 1], [13, 2]],
  ],
] as const) {
  test(name, () => assert.deepEqual(written(plan()), expected));
}

function set(change: { set?: Partial<RuleWords>; position?: number }) {
  return setMailRule.plan(facts, { team: 3, mailRule: 12, set: {}, ...change });
}

test('a change keeps the counts, and a path is stored in its normal form', () => {
  const { result } = set({ set: { name: 'New', mailbox: 'Cafe\u0301' } });
  assert.deepEqual(result, { ...rule(12, 2), name: 'New', mailbox: 'Caf\u00e9' });
});

for (const [why, plan, error] of [
  [
    'without its team',
    () => addMailRule.plan({ newMailRule: 20, team: null, mailRules } as never, { team: 3, words }),
    NotFound,
  ],
  ['beyond the quota', () => addMailRule.plan(facts, { team: 3, words, most: 3 }), Invalid],
  [
    'with a mailbox of no name',
    () => addMailRule.plan(facts, { team: 3, words: { ...words, mailbox: '/a' } }),
    /^Invalid: mailbox:/,
  ],
  ['with such a mailbox later', () => set({ set: { mailbox: '' } }), /^Invalid: mailbox:/],
  ['of another team', () => setMailRule.plan(facts, { team: 3, mailRule: 9, set: {} }), NotFound],
  ['of another team, to remove', () => removeMailRule.plan(facts, { team: 3, mailRule: 9 }), NotFound],
] as const) {
  test(`no rule is written ${why}`, () => assert.throws(plan, error));
}
