import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinConversations, nearestTokens, type ThreadTokens, threadTokens } from './thread.ts';

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
