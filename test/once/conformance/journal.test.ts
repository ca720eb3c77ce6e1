import assert from 'node:assert/strict';
import type { EventFilter } from '#core/events/event.ts';
import { mail } from './mail.ts';
import {
  deliver,
  deliverMany,
  journalOf,
  mailboxId,
  newAccount,
  newUser,
  now,
  onEachStore,
  target,
} from './scene.ts';

onEachStore('heads are read for many users at once', async ({ store, owner, account }) => {
  const silent = await newUser(store, 'silent@team.test');
  await deliverMany(store, account, 3);
  assert.deepEqual(
    await store.journal.heads([silent, owner, 4711]),
    new Map([
      [silent, 0],
      [owner, 3],
      [4711, 0],
    ]),
  );
  assert.deepEqual(await store.journal.heads([]), new Map());
});

onEachStore(
  'the journal is read on from a number, ascending, at most so many',
  async ({ store, owner, account }) => {
    await deliverMany(store, account, 5);
    const read = async (after: number, limit: number) =>
      (await store.journal.read(owner, after, limit)).map((event) => event.number);
    assert.deepEqual(await read(0, 2), [1, 2]);
    assert.deepEqual(await read(2, 10), [3, 4, 5]);
    assert.deepEqual(await read(5, 10), []);
    assert.deepEqual(await store.journal.read(4711, 0, 10), []);
  },
);

onEachStore('an event names its message, its mailbox and its subject', async ({ store, owner, account }) => {
  const before = Date.now();
  const id = await deliver(store, account, { subject: 'Told' });
  const inbox = mailboxId(account, 'INBOX');
  const [event] = await journalOf(store, owner);
  assert.ok(event && event.at.getTime() >= before && event.at.getTime() <= Date.now());
  const { at: _, ...rest } = event;
  assert.deepEqual(rest, {
    number: 1,
    type: 'message.received',
    messageId: id,
    messageNumber: 1,
    accountId: account.id,
    mailboxId: inbox,
    subject: 'Told',
  });
});

onEachStore('the event of a change has the flags, that of a deletion has none', async (scene) => {
  const { store, owner, account } = scene;
  const id = await deliver(store, account);
  await store.messages.update(owner, id, { isRead: true }, now());
  await store.messages.update(owner, id, { isRead: false, isFlagged: true }, now());
  await store.messages.remove(owner, id, now());
  const events = await journalOf(store, owner);
  const states = events.map((event) =>
    event.type === 'message.updated' ? [event.isRead, event.isFlagged] : event.type,
  );
  assert.deepEqual(states, ['message.received', [true, false], [false, true], 'message.deleted']);
  assert.equal('isRead' in (events.at(-1) ?? {}), false);
});

onEachStore('the latest event that passes a filter is found', async ({ store, owner, domain, account }) => {
  const other = await newAccount(store, owner, domain.id, 'other@app.test');
  const [first = 0] = await deliverMany(store, account, 2);
  await deliver(store, other);
  await store.messages.update(owner, first, { isRead: true }, now());
  await store.messages.remove(owner, first, now());
  const any: EventFilter = {
    types: ['message.received', 'message.deleted', 'message.updated'],
    accountId: null,
    mailboxId: null,
  };
  const cases: [Partial<EventFilter>, number | null][] = [
    [{}, 5],
    [{ types: ['message.received'] }, 3],
    [{ types: ['message.received'], accountId: account.id }, 2],
    [{ types: ['message.received', 'message.updated'] }, 4],
    [{ mailboxId: mailboxId(other, 'INBOX') }, 3],
    [{ mailboxId: mailboxId(account, 'Trash') }, null],
    [{ types: [] }, null],
  ];
  for (const [filter, number] of cases) {
    const event = await store.journal.latest(owner, { ...any, ...filter });
    assert.equal(event?.number ?? null, number, JSON.stringify(filter));
  }
  assert.equal(await store.journal.latest(4711, any), null);
});

onEachStore(
  'the number of a message is known while it exists, and from its deletion afterwards',
  async ({ store, owner, account }) => {
    const stranger = await newUser(store, 'stranger@team.test');
    const [verdict] = await store.deliveries.commit([
      mail([target(account), target(account, { mailbox: 'Sent' })]),
    ]);
    assert.ok(verdict && 'ids' in verdict);
    const [received = 0, copy = 0] = verdict.ids;
    await deliver(store, account);
    const check = async (numbers: (number | null)[]) => {
      const found = [];
      for (const id of [received, copy, 4711]) found.push(await store.journal.messageNumber(owner, id));
      assert.deepEqual(found, numbers);
      assert.equal(await store.journal.messageNumber(stranger, received), null);
    };
    await check([1, 1, null]);
    await store.messages.remove(owner, received, now());
    await store.messages.remove(owner, copy, now());
    await check([1, 1, null]);
    await store.upkeep({ do: 'prune-journal', before: new Date(Date.now() + 1000), keep: 0 }, 10);
    await check([null, null, null]);
  },
);

onEachStore(
  'pruning removes events that are too old or too many; numbers go on',
  async ({ store, opened, owner, account }) => {
    await deliverMany(store, account, 5);
    await store.upkeep({ do: 'prune-journal', before: new Date(0), keep: 100 }, 10);
    assert.equal((await journalOf(store, owner)).length, 5);
    await store.upkeep({ do: 'prune-journal', before: new Date(0), keep: 3 }, 10);
    assert.deepEqual(
      (await journalOf(store, owner)).map((event) => event.number),
      [3, 4, 5],
    );
    await store.upkeep({ do: 'prune-journal', before: new Date(Date.now() + 1000), keep: 100 }, 10);
    assert.deepEqual(await journalOf(store, owner), []);
    assert.deepEqual(await store.journal.heads([owner]), new Map([[owner, 5]]));
    const again = await opened.reopen();
    await deliver(again, account);
    assert.deepEqual(
      (await journalOf(again, owner)).map((event) => event.number),
      [6],
    );
  },
);
