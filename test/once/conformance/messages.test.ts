import assert from 'node:assert/strict';
import type { MailEvent } from '#core/events/event.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  journalOf,
  mailboxId,
  messageOf,
  newAccount,
  newUser,
  now,
  onEachStore,
} from './scene.ts';

const shape = ({ at: _, ...event }: MailEvent) => event;

onEachStore(
  'a change writes its fields and counts, and an event if readers see it',
  async ({ store, owner, account }) => {
    const id = await deliver(store, account);
    const inbox = mailboxId(account, 'INBOX');
    const place = { messageId: id, messageNumber: 1, accountId: account.id, mailboxId: inbox };
    const expiresAt = new Date(Date.now() + 60_000);
    const cases = [
      [{ isRead: true }, { unread: 0 }, { number: 2, isRead: true, isFlagged: false }],
      [{ isRead: true }, { unread: 0 }, null],
      [{ isFlagged: true }, { unread: 0 }, { number: 3, isRead: true, isFlagged: true }],
      [{ expiresAt, autoDelete: false }, { unread: 0 }, null],
      [{ isRead: false, isFlagged: false }, { unread: 1 }, { number: 4, isRead: false, isFlagged: false }],
      [{ expiresAt: null }, { unread: 1 }, null],
    ] as const;
    for (const [change, counts, event] of cases) {
      const before = await messageOf(store, owner, id);
      const committed = await store.messages.update(owner, id, change, now());
      assert.ok(committed !== null && committed !== 'no-mailbox');
      assert.deepEqual(committed.result, { ...before, ...change });
      assert.deepEqual(await messageOf(store, owner, id), committed.result);
      assert.deepEqual(
        committed.events.map(shape),
        event === null ? [] : [{ type: 'message.updated', ...place, ...event }],
      );
      assert.deepEqual(await countsOf(store, account), { usedBytes: before.sizeBytes, total: 1, ...counts });
    }
    const numbers = (await journalOf(store, owner)).map(({ number }) => number);
    assert.deepEqual(numbers, [1, 2, 3, 4]);
  },
);

onEachStore(
  'a moved message takes its counts along and keeps its place in the order',
  async ({ store, owner, domain, account }) => {
    const [first = 0, second = 0] = await deliverMany(store, account, 2, { sizeBytes: 10 });
    const trash = mailboxId(account, 'Trash');
    const committed = await store.messages.update(owner, first, { mailboxId: trash }, now());
    assert.ok(committed !== null && committed !== 'no-mailbox');
    assert.equal(committed.result.mailboxId, trash);
    assert.deepEqual(committed.events.map(shape), [
      {
        number: 3,
        type: 'message.updated',
        messageId: first,
        messageNumber: 1,
        accountId: account.id,
        mailboxId: trash,
        isRead: false,
        isFlagged: false,
      },
    ]);
    assert.deepEqual(await countsOf(store, account), { usedBytes: 20, total: 1, unread: 1 });
    assert.deepEqual(await countsOf(store, account, 'Trash'), { usedBytes: 20, total: 1, unread: 1 });
    assert.deepEqual(await idsOf(store, owner, {}), [second, first]);
    assert.deepEqual(await idsOf(store, owner, { mailboxId: trash }), [first]);
    const again = await store.messages.update(owner, first, { mailboxId: trash }, now());
    assert.ok(again !== null && again !== 'no-mailbox');
    assert.deepEqual(again.events, [], 'it was there already');
    const other = await newAccount(store, owner, domain.id, 'other@app.test');
    for (const mailbox of [mailboxId(other, 'INBOX'), 4711]) {
      assert.equal(await store.messages.update(owner, first, { mailboxId: mailbox }, now()), 'no-mailbox');
    }
  },
);

onEachStore('a removed message is gone with its counts, once', async ({ store, owner, account }) => {
  const [first = 0, second = 0] = await deliverMany(store, account, 2, { sizeBytes: 10 });
  const removals = await Promise.all([1, 2, 3].map(() => store.messages.remove(owner, first, now())));
  const [committed, ...others] = removals.filter((removal) => removal !== null);
  assert.deepEqual(others, [], 'of several at once one removes it');
  const inbox = mailboxId(account, 'INBOX');
  assert.deepEqual(committed?.events.map(shape), [
    {
      number: 3,
      type: 'message.deleted',
      messageId: first,
      messageNumber: 1,
      accountId: account.id,
      mailboxId: inbox,
    },
  ]);
  assert.equal(await store.messages.find(owner, first, now()), null);
  assert.deepEqual(await idsOf(store, owner, {}), [second]);
  assert.deepEqual(await countsOf(store, account), { usedBytes: 10, total: 1, unread: 1 });
  assert.equal((await journalOf(store, owner)).length, 3);
});

onEachStore('a stranger finds no message, and changes none', async ({ store, account }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const id = await deliver(store, account);
  assert.equal(await store.messages.find(stranger, id, now()), null);
  assert.equal(await store.messages.update(stranger, id, { isRead: true }, now()), null);
  assert.equal(
    await store.messages.update(stranger, id, { mailboxId: mailboxId(account, 'Trash') }, now()),
    null,
  );
  assert.equal(await store.messages.remove(stranger, id, now()), null);
  const inbox = mailboxId(account, 'INBOX');
  assert.equal((await store.messages.removeSome(stranger, { mailboxId: inbox, upTo: 99 }, 99)).result, 0);
  for (const filter of [{}, { accountId: account.id }, { mailboxId: inbox }, { words: ['hello'] }]) {
    assert.deepEqual(await idsOf(store, stranger, filter), []);
  }
});

onEachStore('emptying removes the messages that were there, in steps', async ({ store, owner, account }) => {
  const inbox = mailboxId(account, 'INBOX');
  await deliverMany(store, account, 5);
  const later = await deliver(store, account);
  const steps = [];
  for (let i = 0; i < 4; i += 1)
    steps.push(await store.messages.removeSome(owner, { mailboxId: inbox, upTo: 5 }, 2));
  assert.deepEqual(
    steps.map(({ result, events }) => [result, events.length]),
    [
      [2, 2],
      [2, 2],
      [1, 1],
      [0, 0],
    ],
  );
  assert.deepEqual(await idsOf(store, owner, {}), [later]);
  assert.equal((await countsOf(store, account)).total, 1);
});

onEachStore('messages and their changes outlive a restart', async ({ store, opened, owner, account }) => {
  const id = await deliver(store, account, { subject: 'durable' });
  await store.messages.update(owner, id, { isFlagged: true }, now());
  const before = await messageOf(store, owner, id);
  const again = await opened.reopen();
  assert.deepEqual(await messageOf(again, owner, id), before);
  const numbers = (await journalOf(again, owner)).map(({ number }) => number);
  assert.deepEqual(numbers, [1, 2]);
  assert.ok((await deliver(again, account)) > id, 'ids go on');
  assert.deepEqual(await again.journal.heads([owner]), new Map([[owner, 3]]));
});
