import assert from 'node:assert/strict';
import type { Id } from '#core/ids.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import { searching } from '#test/support/stores/searching.ts';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  mailboxId,
  newAccount,
  now,
  onEachStore,
  target,
} from './scene.ts';

onEachStore(
  'a list is newest first, in pages, with a total and a cursor',
  async ({ store, owner, account }) => {
    const ids = await deliverMany(store, account, 7);
    const inbox = mailboxId(account, 'INBOX');
    for (const filter of [
      {},
      { accountId: account.id },
      { mailboxId: inbox },
      searching({ words: ['mail'] }),
    ]) {
      const page = async (page: number) => {
        const list = await store.messages.list(owner, filter, { page, limit: 3 }, now());
        assert.deepEqual([list.total, list.cursor], [7, 7]);
        return list.items.map((item) => item.id);
      };
      const pages = [await page(1), await page(2), await page(3), await page(4), await page(5000)];
      assert.deepEqual(pages, [
        ids.slice(4).toReversed(),
        ids.slice(1, 4).toReversed(),
        ids.slice(0, 1),
        [],
        [],
      ]);
    }
  },
);

onEachStore('a filter by place or number selects its messages', async ({ store, owner, domain, account }) => {
  const other = await newAccount(store, owner, domain.id, 'other@app.test');
  const a = await deliver(store, account);
  const b = await deliver(store, other);
  const c = await deliver(store, account);
  const trash = mailboxId(account, 'Trash');
  await store.messages.update(owner, a, { mailboxId: trash }, now());
  const cases: [MessageFilter, number[]][] = [
    [{}, [c, b, a]],
    [{ accountId: account.id }, [c, a]],
    [{ accountId: other.id }, [b]],
    [{ mailboxId: trash }, [a]],
    [{ accountId: account.id, mailboxId: trash }, [a]],
    [{ accountId: other.id, mailboxId: trash }, []],
    [{ mailboxPath: 'INBOX' }, [c, b]],
    [{ mailboxPath: 'trash' }, [a]],
    [{ mailboxPath: 'No such' }, []],
    [{ accountId: other.id, mailboxPath: 'inbox' }, [b]],
    [{ after: 0 }, [c, b, a]],
    [{ after: 1 }, [c, b]],
    [{ accountId: account.id, after: 1 }, [c]],
    [{ mailboxId: trash, after: 1 }, []],
    [{ after: 4 }, []],
    [{ ...searching({ words: ['hello'] }), after: 2 }, [c]],
  ];
  for (const [filter, ids] of cases)
    assert.deepEqual(await idsOf(store, owner, filter), ids, JSON.stringify(filter));
});

onEachStore(
  'copies in Sent are left out of lists over several mailboxes',
  async ({ store, owner, account }) => {
    const prepared = mail([target(account), target(account, { mailbox: 'Sent' })]);
    const [verdict] = await store.deliveries.commit([prepared]);
    assert.ok(verdict && 'ids' in verdict);
    const [received = 0, copy = 0] = verdict.ids;
    const sent = mailboxId(account, 'Sent');
    const check = async (own: number[], inSent: number[]) => {
      for (const filter of [{}, { after: 0 }, { accountId: account.id }, searching({ words: ['hello'] })]) {
        assert.deepEqual(await idsOf(store, owner, filter), own, JSON.stringify(filter));
      }
      for (const filter of [
        { mailboxId: sent },
        { mailboxPath: 'Sent' },
        { mailboxId: sent, ...searching({ words: ['hello'] }) },
      ]) {
        assert.deepEqual(await idsOf(store, owner, filter), inSent, JSON.stringify(filter));
      }
    };
    await check([received], [copy]);
    await store.messages.update(owner, received, { mailboxId: sent }, now());
    await check([received], [copy, received]);
    await store.messages.update(owner, copy, { mailboxId: mailboxId(account, 'Trash') }, now());
    await check([copy, received], [received]);
    await store.messages.remove(owner, copy, now());
    await check([received], [received]);
  },
);

onEachStore('a list of a thousand messages has an exact total', async ({ store, owner, account }) => {
  const ids: Id[] = [];
  // Batches run one after another: a batch fails if its user's other batches make it wait for 10 s.
  for (let batch = 0; batch < 2; batch += 1) {
    ids.push(...(await deliverMany(store, account, 600, { subject: 'one of many' })));
  }
  const deep = await store.messages.list(owner, {}, { page: 1199, limit: 1 }, now());
  assert.deepEqual([deep.items.length, deep.total], [1, 1200]);
  const firstTwo = { page: 1, limit: 2 };
  const found = await store.messages.list(owner, searching({ words: ['many'] }), firstTwo, now());
  assert.deepEqual([found.items.length, found.total], [2, ids.length]);
  const after = await store.messages.list(owner, { after: 400 }, firstTwo, now());
  assert.equal(after.total, 800);
});

onEachStore(
  'a list has the name of a sender, cut to its bound, only beside an address of its own',
  async ({ store, owner, account }) => {
    const senders = [
      { from: { name: 'Bücher & Co', address: 'shop@x.test' }, shown: 'Bücher & Co' },
      { from: { name: 'n'.repeat(1000), address: 'shop@x.test' }, shown: 'n'.repeat(320) },
      { from: { name: '', address: 'shop@x.test' }, shown: null },
      { from: { name: 'Nobody', address: '' }, shown: null },
      { from: null, shown: null },
    ];
    for (const { from } of senders) {
      await store.deliveries.commit([mail([target(account)], { from })]);
    }
    const { items } = await store.messages.list(owner, {}, { page: 1, limit: 10 }, now());
    const fromNames = items.map(({ fromName }) => fromName);
    assert.deepEqual(fromNames, senders.map(({ shown }) => shown).toReversed());
  },
);

onEachStore('a removed message is no longer counted as unread or copy', async ({ store, owner, account }) => {
  const [read, unread] = [await deliver(store, account), await deliver(store, account)];
  await store.messages.update(owner, read, { isRead: true }, now());
  await store.messages.remove(owner, read, now());
  const { total, unread: left } = await countsOf(store, account);
  assert.deepEqual([total, left], [1, 1]);
  const [verdict] = await store.deliveries.commit([
    mail([target(account), target(account, { mailbox: 'Sent' })]),
  ]);
  assert.ok(verdict && 'ids' in verdict);
  const [received = 0, copy = 0] = verdict.ids;
  await store.messages.remove(owner, copy, now());
  for (const filter of [{}, { accountId: account.id }])
    assert.deepEqual(await idsOf(store, owner, filter), [received, unread]);
});
