import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MessageFilter } from './message-filter.ts';
import type { Term } from './query.ts';
import { eventsWithin, withinAccounts } from './within-accounts.ts';

const visibility = { now: new Date(0), receivedAfter: new Date(0) };
const page = { page: 1, limit: 50 };

const [own, tagged, other] = ['qa@a.test', 'qa+x@a.test', 'other@a.test'];
/** Email without `To` to an address, also with a tag, and to another account in the team, sent by a provider API request. */
const mail = {
  ...{ copy: false, deliveredTo: own, toAddresses: [own, tagged, other] },
  content: { to: [], submission: { provider: 'x', request: other } },
  envelope: {
    rcptTo: [own, tagged, other],
    dsn: { recipients: [{ address: own }, { address: other }] },
  },
};

/**
 * Ports of a team in which message 7 belongs to account 4, and 8 to account 9. Both were deleted. `seen` lists the filters that lists
 * received.
 */
function world(accountIds: number[]) {
  const seen: MessageFilter[] = [];
  const accountOf = (id: number) => ({ 7: 4, 8: 9 })[id] ?? 0;
  const find = async (_owner: number, id: number) => ({ ...mail, id, accountId: accountOf(id) });
  const ports = {
    accounts: { find, list: async (_owner: number, filter: object) => filter },
    mailboxes: { list: async () => 'mailboxes', find: async () => 'mailbox' },
    messages: {
      find,
      raw: async () => 'raw',
      list: async (_owner: number, filter: MessageFilter) => seen.push(filter),
    },
    journal: {
      messageNumber: async (_team: number, id: number) => (id > 10 ? null : id * 10),
      read: async (_team: number, after: number) => [
        { messageId: (after + 1) / 10, accountId: accountOf((after + 1) / 10) },
      ],
    },
    waits: {
      wait: async (_owner: number, start: () => Promise<{ filter: MessageFilter }>) =>
        seen.push((await start()).filter),
    },
    tags: { count: async () => [{ name: 'hidden', count: 1 }] },
    refusals: { list: async () => ({ items: ['a refusal'], total: 1 }) },
  };
  return { seen, ports: withinAccounts(ports as never, accountIds) as Parameters<typeof withinAccounts>[0] };
}

test('mail, mailboxes and accounts of others are as if they did not exist', async () => {
  const { ports } = world([4, 5]);
  const { messages, mailboxes, accounts, refusals } = ports;
  assert.equal((await messages.find(1, 7, visibility))?.id, 7);
  assert.equal(await messages.find(1, 8, visibility), null);
  assert.equal(await messages.raw(1, 7, visibility), 'raw');
  assert.equal(await messages.raw(1, 8, visibility), null);
  assert.deepEqual(
    [await mailboxes.list(1, 4, page), await mailboxes.find(1, 5, 2)],
    ['mailboxes', 'mailbox'],
  );
  assert.deepEqual([await mailboxes.list(1, 9, page), await mailboxes.find(1, 9, 2)], [null, null]);
  assert.deepEqual([(await accounts.find(1, 4))?.id, await accounts.find(1, 9)], [4, null]);
  assert.deepEqual(await refusals.list(1, page), { items: [], total: 0 });
  assert.deepEqual(await ports.tags.count(1, { newest: 1, most: 1 }, visibility), []);
});

test('a mail of several accounts names none of the others', async () => {
  const { messages } = world([4]).ports;
  const { content, envelope, toAddresses } = (await messages.find(1, 7, visibility)) ?? {};
  assert.deepEqual(
    [envelope?.rcptTo, toAddresses],
    [
      [own, tagged],
      [own, tagged],
    ],
  );
  assert.deepEqual(envelope?.dsn?.recipients, [{ address: own }]);
  assert.deepEqual(content, { to: [] });
});

test('a list of accounts has the own ones, and all that writes or reads other mail is refused', async () => {
  const { ports } = world([4, 5]);
  assert.deepEqual(await ports.accounts.list(1, { active: true }, page), { active: true, ids: [4, 5] });
  const allowed = new Set(['list', 'find', 'raw', 'messageNumber', 'wait', 'count']);
  for (const [name, port] of Object.entries(ports))
    for (const [method, run] of Object.entries(port))
      if (!allowed.has(method)) assert.throws(run, /limited to accounts/, `${name}.${method}`);
});

test('the number of a deleted message is told of own accounts alone', async () => {
  const { journal } = world([4]).ports;
  assert.deepEqual(await Promise.all([7, 8, 11].map((id) => journal.messageNumber(1, id))), [70, null, null]);
});

const several: Term = { field: 'accounts', ids: [4, 5], typed: '' };
const byTag: Term = { field: 'tag', value: 'a', typed: 'a' };
const cases: [number[], MessageFilter, MessageFilter][] = [
  [[4], {}, { accountId: 4 }],
  [[4], { accountId: 4, mailboxId: 2 }, { accountId: 4, mailboxId: 2 }],
  [[4], { accountId: 9, mailboxId: 2 }, { accountId: 0, mailboxId: 2 }],
  [[4], { query: byTag }, { accountId: 4, query: byTag }],
  [[], { after: 3 }, { accountId: 0, after: 3 }],
  [[4, 5], { accountId: 5 }, { accountId: 5 }],
  [[4, 5], { accountId: 9 }, { accountId: 0 }],
  [[4, 5], {}, { query: { all: [several] } }],
  [[4, 5], { query: { any: [byTag] } }, { query: { all: [several, { any: [byTag] }] } }],
];
for (const [ids, filter, expected] of cases) {
  test(`a list and a wait of ${JSON.stringify(filter)} are narrowed to ${JSON.stringify(ids)}`, async () => {
    const { ports, seen } = world(ids);
    await ports.messages.list(1, filter, page, visibility);
    const terms = { waiter: { userId: 1, keyId: 1 }, count: 1, waitMs: 0, signal: AbortSignal.abort() };
    await ports.waits.wait(1, async () => ({ filter, anyEvent: false }), page, terms);
    assert.deepEqual(seen, [expected, expected]);
  });
}

test('events are those of the accounts, or of the one that is asked for', () => {
  const any = { types: [], accountId: null, mailboxId: 2 };
  const accountsOf = (accountId: number | null, ids: number[] | null) =>
    eventsWithin({ ...any, accountId }, ids).map((filter) => filter.accountId);
  assert.deepEqual(accountsOf(null, null), [null]);
  assert.deepEqual(accountsOf(9, null), [9]);
  assert.deepEqual(accountsOf(null, [4, 5]), [4, 5]);
  assert.deepEqual(accountsOf(5, [4, 5]), [5]);
  assert.deepEqual(accountsOf(9, [4, 5]), []);
  assert.deepEqual(accountsOf(null, []), []);
});
