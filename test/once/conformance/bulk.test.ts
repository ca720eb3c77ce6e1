import assert from 'node:assert/strict';
import { createLocalBus } from '#adapters/local/event-bus.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { type BulkTerms, changeMany } from '#core/messages/change-many.ts';
import type { BulkAction, ListPlace, Selection } from '#core/messages/message.ts';
import type { Store } from '#core/store.ts';
import { createSearchTurns } from '#gate/search-turns.ts';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  journalOf,
  mailboxId,
  newAccount,
  newDomain,
  newUser,
  now,
  onEachStore,
  target,
} from './scene.ts';

const searches = createSearchTurns(() => {});
const everything: Selection = { filter: {} };
const remove: BulkAction = { do: 'remove' };
const flag: BulkAction = { do: 'update', change: { isFlagged: true } };

/** Makes a bulk change for `owner`, or part of one, and also returns its events. */
async function change(
  store: Store,
  owner: Id,
  selection: Selection,
  action: BulkAction | null,
  { cursor = null, ...words }: Partial<BulkTerms> & { cursor?: ListPlace | null } = {},
) {
  const bus = createLocalBus();
  const events: MailEvent[] = [];
  bus.listen((_team, some) => events.push(...some));
  const ports = { ...store, bus, searches, clock: () => new Date(), retentionDays: 90 };
  const terms = {
    user: owner,
    signal: new AbortController().signal,
    isOver: () => false,
    proceed: async () => {},
    ...words,
  };
  const result = await changeMany(ports, owner, selection, action, cursor, terms);
  return { result, events };
}

/** Part of a bulk change whose time has expired from the start: one batch. */
const oneBatch = { isOver: () => true };

onEachStore(
  'a part ends with its time, and the next goes on; mail that came between stays',
  async (scene) => {
    const { store, owner, account } = scene;
    await deliverMany(store, account, 600);
    let cursor: ListPlace | null = null;
    const parts = [];
    const later: Id[] = [];
    do {
      const { result, events }: Awaited<ReturnType<typeof change>> = await change(
        store,
        owner,
        everything,
        remove,
        { ...oneBatch, cursor },
      );
      cursor = result.cursor;
      parts.push([result.matched, result.changed, events.length]);
      later.unshift(await deliver(store, account));
    } while (cursor !== null);
    assert.deepEqual(parts, [
      [250, 250, 250],
      [250, 250, 250],
      [100, 100, 100],
    ]);
    assert.deepEqual(await idsOf(store, owner, {}), later);
    const { total } = await countsOf(store, account);
    assert.equal(total, later.length);
    const numbers = (await journalOf(store, owner)).map(({ number }) => number);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  },
);

onEachStore('an update is one event of each batch and mailbox', async ({ store, owner, domain, account }) => {
  const second = await newAccount(store, owner, domain.id, 'second@app.test');
  const ids = [...(await deliverMany(store, account, 400)), ...(await deliverMany(store, second, 100))];
  const { result, events } = await change(store, owner, everything, flag);
  assert.deepEqual(result, { matched: 500, changed: 500, unplaced: 0, cursor: null });
  const told = events.map((event) => {
    assert.ok(event.type === 'message.updated' && event.isFlagged);
    return [event.accountId, event.messageIds?.length];
  });
  assert.deepEqual(told, [
    [second.id, 100],
    [account.id, 150],
    [account.id, 250],
  ]);
  assert.deepEqual(
    events.flatMap((event) => ('messageIds' in event && event.messageIds) || []),
    ids.toReversed(),
  );
  assert.deepEqual((await journalOf(store, owner)).slice(500), events);
  const again = await change(store, owner, everything, flag);
  assert.deepEqual([again.result.matched, again.result.changed, again.events], [500, 0, []]);
});

onEachStore(
  'a message that changed since the search is changed where the list still shows it',
  async (scene) => {
    const { store, owner, account } = scene;
    const inbox = mailboxId(account, 'INBOX');
    const junk = mailboxId(account, 'Junk');
    const [moved = 0, elsewhere = 0, read = 0, gone = 0, plain = 0] = await deliverMany(store, account, 5);
    await store.messages.update(owner, elsewhere, { mailboxId: junk }, now());
    const proceed = async () => {
      await store.messages.update(owner, moved, { mailboxId: junk }, now());
      await store.messages.update(owner, elsewhere, { mailboxId: inbox }, now());
      await store.messages.update(owner, read, { isRead: true, tags: ['a'] }, now());
      await store.messages.remove(owner, gone, now());
      await deliver(store, account);
    };
    const before = await idsOf(store, owner, {});
    const { result } = await change(store, owner, { filter: { mailboxId: inbox } }, remove, { proceed });
    assert.deepEqual(result, { matched: 2, changed: 2, unplaced: 0, cursor: null });
    const after = await idsOf(store, owner, {});
    assert.deepEqual(after.slice(1), [elsewhere, moved], 'and the mail that came');
    assert.ok(!before.includes(after[0] ?? 0) && ![read, plain].some((id) => after.includes(id)));
    assert.equal((await countsOf(store, account)).total, 2);
  },
);

onEachStore('ids that changed since they were found are changed all the same', async (scene) => {
  const { store, owner, account } = scene;
  const [first = 0, second = 0] = await deliverMany(store, account, 2);
  const proceed = async () => {
    await store.messages.update(owner, first, { mailboxId: mailboxId(account, 'Junk') }, now());
  };
  const { result } = await change(store, owner, { ids: [first, second] }, flag, { proceed });
  assert.deepEqual([result.matched, result.changed], [2, 2]);
  assert.deepEqual(await idsOf(store, owner, { flagged: true }), [second, first]);
});

for (const what of ['account', 'domain'] as const) {
  onEachStore(`nothing of a deleted ${what} is touched, even after it was found`, async (scene) => {
    const { store, owner, domain, account } = scene;
    await deliverMany(store, account, 3);
    const kept = await newAccount(
      store,
      owner,
      (await newDomain(store, owner, 'kept.test')).id,
      'a@kept.test',
    );
    await deliver(store, kept);
    const at = new Date();
    const proceed = async () => {
      if (what === 'account') await store.accounts.softDelete(owner, account.id, at);
      else await store.domains.softDelete(owner, domain.id, at);
    };
    const { result, events } = await change(store, owner, everything, flag, { proceed });
    assert.deepEqual([result.matched, result.changed, events.length], [1, 1, 1]);
    assert.equal((await change(store, owner, everything, remove)).result.changed, 1);
  });
}

onEachStore('a part ends where its client goes away', async ({ store, owner, account }) => {
  await deliverMany(store, account, 300);
  const client = new AbortController();
  const proceed = async () => client.abort();
  const { signal } = client;
  const { result } = await change(store, owner, everything, remove, { signal, proceed });
  assert.deepEqual([result.matched, result.cursor === null], [250, false]);
  assert.equal((await idsOf(store, owner, {})).length, 50);
});

onEachStore('a dry run counts, in parts too', async ({ store, owner, account }) => {
  await deliverMany(store, account, 600);
  const first = await change(store, owner, everything, null, oneBatch);
  const { cursor } = first.result;
  const rest = await change(store, owner, everything, null, { cursor });
  assert.deepEqual([first.result.matched, rest.result.matched, rest.result.cursor], [250, 350, null]);
  const { total, unread } = await countsOf(store, account);
  assert.deepEqual([total, unread], [600, 600]);
});

onEachStore('copies are counted in Sent alone when they move', async ({ store, owner, account }) => {
  const [verdict] = await store.deliveries.commit([
    mail([target(account), target(account, { mailbox: 'Sent' })]),
  ]);
  assert.ok(verdict !== undefined && 'ids' in verdict);
  const [, copy = 0] = verdict.ids;
  const visible = () => idsOf(store, owner, {}).then(({ length }) => length);
  for (const [path, shown] of [
    ['Sent', 1],
    ['Trash', 2],
    ['sent', 1],
  ] as const) {
    await change(store, owner, { ids: [copy] }, { do: 'move', path });
    assert.equal(await visible(), shown, path);
  }
  await change(store, owner, everything, { do: 'move', path: 'Sent' });
  assert.equal(await visible(), 1, 'a received message is no copy');
});

onEachStore('messages of another team are not touched', async ({ store, owner, account }) => {
  const ids = await deliverMany(store, account, 2);
  const stranger = await newUser(store, 'other@team.test');
  const selections: Selection[] = [
    { ids },
    { filter: { accountId: account.id } },
    { filter: { mailboxId: mailboxId(account, 'INBOX') } },
  ];
  for (const selection of selections) {
    const cursor = { number: 1000, id: Number.MAX_SAFE_INTEGER };
    const { result } = await change(store, stranger, selection, remove, { cursor });
    assert.deepEqual(result, { matched: 0, changed: 0, unplaced: 0, cursor: null });
  }
  assert.deepEqual(await idsOf(store, owner, {}), ids.toReversed());
});
