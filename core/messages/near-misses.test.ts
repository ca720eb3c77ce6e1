import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid, SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { Since } from './list-messages.ts';
import type { Message, MessageSummary } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import { type Condition, nearMisses } from './near-misses.ts';
import { type SearchTurns, unlimitedSearches } from './search-turns.ts';

const now = new Date('2026-11-21T10:00:00Z');
const anybody: SearchTurns = { search: (_owner, _filter, _asker, work) => unlimitedSearches(work) };
const conditions: Condition[] = [
  { name: 'unread', filter: { unread: true } },
  { name: 'is_flagged', filter: { flagged: true } },
];

type Refused = { id: number; at: Date; rcptTo: string[]; reply: string };

/** Store ports that answer reads one after the other with these IDs, whose messages still exist except those in `deleted`. */
function portsWith(
  answers: number[][],
  {
    searches = anybody,
    deleted = [] as number[],
    refused = [] as Refused[],
    to = {} as Record<number, string>,
  } = {},
) {
  const asked: MessageFilter[] = [];
  const ports = {
    clock: () => now,
    retentionDays: 90,
    searches,
    journal: { messageNumber: async () => null, read: async () => [] },
    refusals: { list: async () => ({ items: refused, total: refused.length }) },
    messages: {
      async list(_owner: number, filter: MessageFilter) {
        asked.push(filter);
        const items = (answers[asked.length - 1] ?? []).map(
          (id) =>
            ({
              ...{
                id,
                number: id + 100,
                subject: `Mail ${id}`,
                toAddresses: [to[id] ?? `header${id}@app.test`],
              },
              sizeBytes: id === 7 ? 65_537 : 65_536,
            }) as MessageSummary,
        );
        return { items, total: items.length, cursor: 0 };
      },
      find: async (_owner: number, id: number) =>
        deleted.includes(id) ? null : ({ deliveredTo: to[id] ?? `to${id}@app.test` } as Message),
    },
  };
  return { ports, asked };
}

/** Emails among a wait's near misses. */
async function missesOf(ports: Parameters<typeof nearMisses>[0], wanted: Condition[], since: Since = {}) {
  const misses = (await nearMisses(ports, 1, wanted, since)) ?? [];
  return misses.filter((miss) => 'id' in miss);
}

test('each condition is compared by itself, behind the oldest message that is compared', async () => {
  const { ports, asked } = portsWith([[9, 8, 7], [9, 8], [8]]);
  const misses = await missesOf(ports, conditions, { cursor: 50 });
  assert.deepEqual(
    misses.map(({ id, failed }) => [id, failed]),
    [
      [9, ['is_flagged']],
      [7, ['unread', 'is_flagged']],
    ],
  );
  assert.deepEqual(asked, [{ after: 50 }, { unread: true, after: 106 }, { flagged: true, after: 106 }]);
});

test('the recipient is that of the envelope, and of a long mail the first of its header', async () => {
  const { ports } = portsWith([[8, 7], [], []]);
  const misses = await missesOf(ports, conditions);
  const receivers = misses.map(({ to }) => to);
  assert.deepEqual(receivers, ['to8@app.test', 'header7@app.test']);
});

test('nothing is compared without mail, or without conditions', async () => {
  const { ports, asked } = portsWith([[]]);
  assert.deepEqual(await nearMisses(ports, 1, conditions, {}), []);
  assert.deepEqual(await nearMisses(ports, 1, [], {}), []);
  assert.deepEqual(asked, [{}]);
});

test('a message that was deleted meanwhile is no near miss', async () => {
  const { ports } = portsWith([[9, 8], [], []], { deleted: [9] });
  const misses = await missesOf(ports, conditions);
  assert.deepEqual(
    misses.map(({ id, to }) => [id, to]),
    [[8, 'to8@app.test']],
  );
});

/** Errors of a search, and whether they only leave out near misses. */
const errors: [Error, boolean][] = [
  [new TooManySearches('You already have 2 such searches in progress', 1000), true],
  [new SearchTimeout('The search took too long'), true],
  [new StoreUnavailable('The search was canceled'), true],
  [invalid('after', 'is not the id of one of your current or deleted messages'), true],
  [new TypeError('x is not a function'), false],
];

for (const [error, isPassing] of errors) {
  test(`${error.name} ${isPassing ? 'leaves out near misses' : 'is an error'}`, async () => {
    const { ports } = portsWith([[9]], { searches: { search: () => Promise.reject(error) } });
    const asking = nearMisses(ports, 1, conditions, {});
    if (isPassing) assert.equal(await asking, null);
    else await assert.rejects(asking, error);
  });
}

test('the search is that of the texts if a condition reads them', async () => {
  const seen: MessageFilter[] = [];
  const searches: SearchTurns = {
    search: (_owner, filter, _asker, work) => {
      seen.push(filter);
      return unlimitedSearches(work);
    },
  };
  const texts: Condition = {
    name: 'body',
    filter: { query: { field: 'body', typed: 'x', part: 'x' } },
  };
  await nearMisses(portsWith([], { searches }).ports, 1, [...conditions, texts], {});
  assert.deepEqual(seen, [texts.filter]);
});

const typed = 'qa+run1@app.test';
const asked: Condition[] = [
  { name: 'address', filter: { query: { field: 'address', typed, value: typed } } },
  { name: 'unread', filter: { unread: true } },
];
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const refusal = (id: number, rcptTo: string[], reply: string, minutes = 1): Refused => ({
  ...{ id, rcptTo, reply, at: minutesAgo(minutes) },
});

/** Abbreviates near misses: an email's ID and its failed conditions, or a refusal's recipient and reply. */
async function inShort(ports: Parameters<typeof nearMisses>[0], wanted = asked) {
  const misses = (await nearMisses(ports, 1, wanted, {})) ?? [];
  return misses.map((miss) =>
    'id' in miss ? `${miss.id} ${miss.failed.join(' ')}` : `${miss.to} ${miss.reply}`,
  );
}

test('mail to the asked address is first, then that to similar ones, then others', async () => {
  const to = { 1: 'qa@app.test', 2: 'other@app.test', 3: 'aq+run1@app.test', 4: 'else@app.test' };
  // Own mail, its unread messages, the newest, those to the address, and the unread ones.
  const { ports, asked: reads } = portsWith([[9], [], [9, 4, 3, 2, 1], [], [4, 2]], { to });
  assert.deepEqual(await inShort(ports), [
    '9 unread',
    '1 address unread',
    '3 address unread',
    '4 address',
    '2 address',
  ]);
  assert.deepEqual(reads[1], { unread: true, query: { all: [asked[0]?.filter.query] }, after: 108 });
});

test('no mail to others is read where enough came to the asked address', async () => {
  const { ports, asked: reads } = portsWith([[9, 8, 6, 5, 4, 3], [3]]);
  assert.deepEqual(await inShort(ports), ['9 unread', '8 unread', '6 unread', '5 unread', '4 unread']);
  assert.equal(reads.length, 2);
});

test('refusals of the asked address follow mail to it, and have places among much of it', async () => {
  const refused = [
    refusal(1, ['x@app.test', 'QA+run1@app.test'], '550 5.1.1 No'),
    refusal(2, [typed], '550 5.1.1 No', 700),
    refusal(3, [typed], '421 4.7.0 Later', 700),
  ];
  const { ports } = portsWith([[9, 8, 6, 5, 4], []], { refused });
  assert.deepEqual(await inShort(ports), [
    ...['9 unread', '8 unread', '6 unread'],
    ...['QA+run1@app.test 550 5.1.1 No', `${typed} 421 4.7.0 Later`],
  ]);
});

test('refusals of nobody and of similar addresses are told while they are new, those of others never', async () => {
  const refused = [
    refusal(1, ['invoice@other.test'], '550 5.1.1 No'),
    refusal(2, ['qa+run2@app.test'], '550 5.1.1 No'),
    refusal(3, [], '535 5.7.8 Wrong'),
    refusal(4, [], '421 4.7.0 Many', 6),
    refusal(5, ['qa+run3@app.test'], '550 5.1.1 No', 6),
  ];
  const { ports } = portsWith([[], []], { refused });
  assert.deepEqual(await inShort(ports), [' 535 5.7.8 Wrong', 'qa+run2@app.test 550 5.1.1 No']);
  assert.deepEqual(await inShort(portsWith([[], []], { refused }).ports, conditions), []);
});
