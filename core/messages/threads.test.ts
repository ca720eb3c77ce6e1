import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  joinConversations,
  type KnownThreads,
  nearestTokens,
  planThreads,
  type ThreadMember,
  type ThreadTokens,
  threadTokens,
} from './threads.ts';

const message = (own: string | null, ...references: string[]): ThreadTokens => ({ own, references });

test('the tokens of a message', () => {
  const many = Array.from({ length: 150 }, (_, i) => `<${i}>`);
  const cases: [string, Parameters<typeof threadTokens>[0], ThreadTokens][] = [
    ['nothing', { msgid: null, inReplyTo: null, references: [] }, message(null)],
    ['own id', { msgid: '<a>', inReplyTo: null, references: [] }, message('<a>')],
    [
      'a reply names its parent twice',
      { msgid: '<b>', inReplyTo: '<a>', references: ['<a>'] },
      message('<b>', '<a>'),
    ],
    ['only In-Reply-To', { msgid: '<b>', inReplyTo: '<a>', references: [] }, message('<b>', '<a>')],
    [
      'a reference to itself counts nothing',
      { msgid: '<b>', inReplyTo: '<b>', references: ['<b>', '<a>'] },
      message('<b>', '<a>'),
    ],
    [
      'the last hundred',
      { msgid: null, inReplyTo: null, references: many },
      message(null, ...many.slice(50)),
    ],
    [
      'a parent that stands far ahead is the nearest all the same',
      { msgid: null, inReplyTo: '<0>', references: ['<0>', '<1>', '<0>', '<2>'] },
      message(null, '<1>', '<2>', '<0>'),
    ],
    [
      'In-Reply-To is among the hundred',
      { msgid: null, inReplyTo: '<p>', references: many },
      message(null, ...many.slice(51), '<p>'),
    ],
  ];
  for (const [name, given, tokens] of cases) assert.deepEqual(threadTokens(given), tokens, name);
});

test('a new message joins the largest conversation', () => {
  const cases: [string, Parameters<typeof joinConversations>, ReturnType<typeof joinConversations>][] = [
    ['linked to none', [[], []], null],
    ['linked to a single message', [[], [7]], { into: null, dissolved: [] }],
    ['joins a conversation', [[{ id: 3, size: 2 }], []], { into: 3, dissolved: [] }],
    ['brings a single message along', [[{ id: 3, size: 2 }], [9]], { into: 3, dissolved: [] }],
    [
      'merges into the largest',
      [
        [
          { id: 3, size: 2 },
          { id: 5, size: 9 },
          { id: 4, size: 2 },
        ],
        [],
      ],
      { into: 5, dissolved: [3, 4] },
    ],
    [
      'of two as large the older',
      [
        [
          { id: 5, size: 2 },
          { id: 4, size: 2 },
        ],
        [],
      ],
      { into: 4, dissolved: [5] },
    ],
  ];
  for (const [name, given, expected] of cases) assert.deepEqual(joinConversations(...given), expected, name);
});

test('a mail to many accounts links each message by fewer references', () => {
  const references = Array.from({ length: 100 }, (_, at) => `<${at}@x>`);
  for (const [messages, counted] of [
    [1, 100],
    [20, 100],
    [40, 50],
    [100, 20],
  ] as const) {
    const tokens = nearestTokens({ own: null, references }, messages);
    assert.deepEqual(tokens.references, references.slice(-counted), `${messages} messages`);
  }
});

const account = 1;
const none: KnownThreads = { byToken: new Map(), holders: [], conversations: [] };

/** Message with its ID as a number; `a` is account 1's token under the key `1:a`. */
function member(id: number, own: string | null, references = '', conversationId: number | null = null) {
  const tokens = { own, references: references === '' ? [] : references.split(' ') };
  return { id, accountId: account, number: id, conversationId, tokens } satisfies ThreadMember;
}

/** Abbreviated plan: messages' conversations, their earliest message and size, merges, and tokens. */
function outcome(arrivals: ThreadMember[], known: Partial<KnownThreads>) {
  const plan = planThreads(arrivals, { ...none, ...known });
  return {
    in: Object.fromEntries(plan.conversationOf),
    are: plan.changed.map(({ id, earliest, size }) => [id, earliest, size]),
    merged: plan.merged.map(({ from, into }) => [from, into]),
    tokens: [...plan.referrers].map(([key, { conversationId, added }]) => [key, conversationId, added]),
  };
}

test('new messages make, join and merge conversations', () => {
  const cases: [string, ThreadMember[], Partial<KnownThreads>, ReturnType<typeof outcome>][] = [
    ['a message alone is in none', [member(1, 'a')], {}, { in: {}, are: [], merged: [], tokens: [] }],
    [
      'one that refers to nobody known waits for others that do',
      [member(1, 'a', 'x')],
      {},
      { in: { 1: 1 }, are: [[1, 1, 1]], merged: [], tokens: [['1:x', 1, 1]] },
    ],
    [
      'a reply and its parent in one batch',
      [member(1, 'a'), member(2, 'b', 'a')],
      {},
      { in: { 1: 2, 2: 2 }, are: [[2, 1, 2]], merged: [], tokens: [['1:a', 2, 1]] },
    ],
    [
      'a reply to a stored message',
      [member(5, 'b', 'a')],
      { holders: [member(3, 'a')] },
      { in: { 3: 5, 5: 5 }, are: [[5, 3, 2]], merged: [], tokens: [['1:a', 5, 1]] },
    ],
    [
      'a parent that comes after its reply',
      [member(5, 'a')],
      {
        byToken: new Map([['1:a', 3]]),
        conversations: [{ id: 3, earliest: 3, number: 3, size: 1 }],
      },
      { in: { 5: 3 }, are: [[3, 3, 2]], merged: [], tokens: [] },
    ],
    [
      'one that names two conversations makes them one, the larger',
      [member(9, 'z', 'a b')],
      {
        byToken: new Map([
          ['1:a', 3],
          ['1:b', 4],
        ]),
        conversations: [
          { id: 3, earliest: 1, number: 1, size: 2 },
          { id: 4, earliest: 2, number: 2, size: 5 },
        ],
      },
      {
        in: { 9: 4 },
        are: [[4, 1, 8]],
        merged: [[3, 4]],
        tokens: [
          ['1:a', 4, 1],
          ['1:b', 4, 1],
        ],
      },
    ],
    [
      'two messages of one Message-ID stay apart until somebody refers to it',
      [member(1, 'a'), member(2, 'a'), member(3, 'c', 'a')],
      {},
      { in: { 1: 3, 2: 3, 3: 3 }, are: [[3, 1, 3]], merged: [], tokens: [['1:a', 3, 1]] },
    ],
    [
      'conversations that merge within a batch are merged once, into the final one',
      [member(5, null, 'a'), member(6, null, 'b'), member(7, null, 'a b'), member(8, null, 'b')],
      {},
      {
        in: { 5: 5, 6: 5, 7: 5, 8: 5 },
        are: [[5, 5, 4]],
        merged: [[6, 5]],
        tokens: [
          ['1:a', 5, 2],
          ['1:b', 5, 3],
        ],
      },
    ],
  ];
  for (const [name, arrivals, known, expected] of cases) {
    assert.deepEqual(outcome(arrivals, known), expected, name);
  }
});

test('two messages are linked by a reference, in either order', () => {
  const cases: [string, ThreadMember, ThreadMember, boolean][] = [
    ['a reply and its parent', member(1, 'a'), member(2, 'b', 'a'), true],
    ['two replies to a message that is not there', member(1, 'b', 'a'), member(2, 'c', 'a'), true],
    ['the same Message-ID', member(1, 'a'), member(2, 'a'), false],
    ['no ids', member(1, null), member(2, null), false],
    ['different parents', member(1, 'b', 'a'), member(2, 'd', 'c'), false],
  ];
  for (const [name, a, b, linked] of cases) {
    for (const arrivals of [
      [a, b],
      [b, a],
    ]) {
      const { conversationOf } = planThreads(arrivals, none);
      const [first, second] = arrivals.map(({ id }) => conversationOf.get(id));
      assert.equal(first !== undefined && first === second, linked, name);
    }
  }
});

test('accounts do not share conversations', () => {
  const elsewhere = { ...member(2, 'b', 'a'), accountId: 2 };
  assert.deepEqual(outcome([member(1, 'a'), elsewhere], {}).in, { 2: 2 });
});
