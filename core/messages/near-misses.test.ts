import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalid, SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { Message, MessageSummary } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import { type Condition, nearMisses } from './near-misses.ts';
import { type SearchTurns, unhindered } from './search-turns.ts';

const anybody: SearchTurns = { search: (_owner, _filter, _asker, work) => unhindered(work) };
const conditions: Condition[] = [
  { name: 'unread', filter: { unread: true } },
  { name: 'is_flagged', filter: { flagged: true } },
];

/** Ports of a store that answers reads one after the other with these ids, whose messages but `deleted` still exist. */
function portsWith(answers: number[][], { searches = anybody, deleted = [] as number[] } = {}) {
  const asked: MessageFilter[] = [];
  const ports = {
    clock: () => new Date(),
    retentionDays: 90,
    searches,
    journal: { messageNumber: async () => null },
    messages: {
      async list(_owner: number, filter: MessageFilter) {
        asked.push(filter);
        const items = (answers[asked.length - 1] ?? []).map(
          (id) =>
            ({
              ...{ id, number: id + 100, subject: `Mail ${id}`, toAddresses: [`header${id}@app.test`] },
              sizeBytes: id === 7 ? 65_537 : 65_536,
            }) as MessageSummary,
        );
        return { items, total: items.length, cursor: 0 };
      },
      find: async (_owner: number, id: number) =>
        deleted.includes(id) ? null : ({ deliveredTo: `to${id}@app.test` } as Message),
    },
  };
  return { ports, asked };
}

test('each condition is compared by itself, behind the oldest message that is compared', async () => {
  const { ports, asked } = portsWith([[9, 8, 7], [9, 8], [8]]);
  const misses = await nearMisses(ports, 1, conditions, { cursor: 50 });
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
  const misses = await nearMisses(ports, 1, conditions, {});
  assert.deepEqual(
    misses.map(({ to }) => to),
    ['to8@app.test', 'header7@app.test'],
  );
});

test('nothing is compared without mail, or without conditions', async () => {
  const { ports, asked } = portsWith([[]]);
  assert.deepEqual(await nearMisses(ports, 1, conditions, {}), []);
  assert.deepEqual(await nearMisses(ports, 1, [], {}), []);
  assert.deepEqual(asked, [{}]);
});

test('a message that was deleted meanwhile is no near miss', async () => {
  const { ports } = portsWith([[9, 8], [], []], { deleted: [9] });
  const misses = await nearMisses(ports, 1, conditions, {});
  assert.deepEqual(
    misses.map(({ id, to }) => [id, to]),
    [[8, 'to8@app.test']],
  );
});

/** Errors of a search, and whether they are none of a near miss. */
const errors: [Error, boolean][] = [
  [new TooManySearches('You have 2 such searches under way already', 1000), true],
  [new SearchTimeout('The search took too long'), true],
  [new StoreUnavailable('The search was broken off'), true],
  [invalid('after', 'is not the id of a message that you have or had'), true],
  [new TypeError('x is not a function'), false],
];

for (const [error, isPassing] of errors) {
  test(`${error.name} ${isPassing ? 'leaves out near misses' : 'is an error'}`, async () => {
    const { ports } = portsWith([[9]], { searches: { search: () => Promise.reject(error) } });
    const asking = nearMisses(ports, 1, conditions, {});
    if (isPassing) assert.deepEqual(await asking, []);
    else await assert.rejects(asking, error);
  });
}

test('the search is that of the texts if a condition reads them', async () => {
  const seen: MessageFilter[] = [];
  const searches: SearchTurns = {
    search: (_owner, filter, _asker, work) => {
      seen.push(filter);
      return unhindered(work);
    },
  };
  const texts: Condition = {
    name: 'body',
    filter: { query: { field: 'body', typed: 'x', part: 'x' } },
  };
  await nearMisses(portsWith([], { searches }).ports, 1, [...conditions, texts], {});
  assert.deepEqual(seen, [texts.filter]);
});
