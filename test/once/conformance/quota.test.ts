import assert from 'node:assert/strict';
import type { DeliveryVerdict } from '#core/delivery/delivery.ts';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  journalOf,
  mailboxId,
  newAccount,
  now,
  onEachStore,
  target,
} from './scene.ts';

onEachStore(
  'an account takes what fits, to the byte, and an exactly full one nothing',
  async ({ store, owner, domain }) => {
    const account = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 100 });
    const attempt = async (sizeBytes: number) => {
      const [verdict] = await store.deliveries.commit([mail([target(account)], { sizeBytes })]);
      return verdict && 'ids' in verdict;
    };
    assert.equal(await attempt(101), false);
    assert.equal(await attempt(60), true);
    assert.equal(await attempt(41), false);
    assert.equal(await attempt(40), true);
    assert.equal(await attempt(0), false);
    assert.equal((await countsOf(store, account)).usedBytes, 100);
  },
);

onEachStore('two messages of one mail must both fit', async ({ store, owner, domain }) => {
  const account = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 100 });
  const twice = (sizeBytes: number) =>
    mail([target(account), target(account, { mailbox: 'Sent' })], { sizeBytes });
  assert.deepEqual(await store.deliveries.commit([twice(51)]), [
    { reason: 'no-room', address: 'small@app.test' },
  ]);
  const [verdict] = await store.deliveries.commit([twice(50)]);
  assert.ok(verdict && 'ids' in verdict);
});

onEachStore('mails of one batch see each other', async ({ store, owner, domain }) => {
  const account = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 25 });
  const batch = [10, 10, 10, 5].map((sizeBytes) => mail([target(account)], { sizeBytes }));
  const verdicts = await store.deliveries.commit(batch);
  assert.deepEqual(
    verdicts.map((verdict) => 'ids' in verdict),
    [true, true, false, true],
  );
});

onEachStore(
  'quota and counts stay exact while everything happens at once',
  async ({ store, owner, domain }) => {
    const account = await newAccount(store, owner, domain.id, 'busy@app.test', { storageLimit: 3000 });
    const made = await store.mailboxes.insert(owner, account.id, 'Side', new Date());
    assert.ok(made !== null && made !== 'taken');
    const first = await deliverMany(store, account, 10, { sizeBytes: 100 });
    const work = Array.from({ length: 60 }, async (_, i): Promise<unknown> => {
      const id = first[i % first.length] ?? 0;
      if (i % 4 === 0) return store.messages.remove(owner, id, now());
      if (i % 4 === 1)
        return store.messages.update(
          owner,
          id,
          { mailboxId: i % 8 === 1 ? made.id : mailboxId(account, 'Trash') },
          now(),
        );
      if (i % 4 === 2) return store.messages.update(owner, id, { isRead: i % 8 === 2 }, now());
      return store.deliveries.commit([mail([target(account)], { sizeBytes: 100 + i })]);
    });
    work.push(store.mailboxes.softDelete(owner, account.id, made.id, new Date()));
    await Promise.all(work);
    const { items } = await store.messages.list(
      owner,
      { accountId: account.id },
      { page: 1, limit: 200 },
      now(),
    );
    const found = await store.accounts.find(owner, account.id);
    assert.equal(
      found?.usedBytes,
      items.reduce((sum, item) => sum + item.sizeBytes, 0),
    );
    for (const mailbox of found?.mailboxes ?? []) {
      const inside = items.filter((item) => item.mailboxId === mailbox.id);
      assert.deepEqual(
        [mailbox.total, mailbox.unread],
        [inside.length, inside.filter((item) => !item.isRead).length],
      );
      assert.deepEqual(
        await idsOf(store, owner, { mailboxId: mailbox.id }),
        inside.map((item) => item.id),
      );
    }
    const numbers = (await journalOf(store, owner)).map((event) => event.number);
    assert.deepEqual(
      numbers,
      numbers.map((_, i) => i + 1),
      'no gaps',
    );
  },
);

onEachStore('many senders cannot overfill an account together', async ({ store, owner, domain }) => {
  const account = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit: 1000 });
  const attempts = Array.from({ length: 30 }, () =>
    store.deliveries.commit([mail([target(account)], { sizeBytes: 70 })]),
  );
  const verdicts = (await Promise.all(attempts)).flat();
  assert.equal(verdicts.filter((verdict) => 'ids' in verdict).length, 14);
  assert.equal((await countsOf(store, account)).usedBytes, 980);
});

onEachStore(
  'a smaller limit refuses new mail, and keeps the mail that is stored',
  async ({ store, owner, account }) => {
    const id = await deliver(store, account, { sizeBytes: 500 });
    await store.accounts.update(owner, account.id, { storageLimit: 100 }, new Date());
    assert.deepEqual(await store.deliveries.commit([mail([target(account)], { sizeBytes: 1 })]), [
      { reason: 'no-room', address: 'qa@app.test' },
    ]);
    assert.deepEqual(await idsOf(store, owner, {}), [id]);
  },
);

onEachStore(
  'beyond 1,000 messages an account has as many as its limit has KiB, in all of its mailboxes',
  async ({ store, owner, domain }) => {
    const storageLimit = 1003 * 1024;
    const account = await newAccount(store, owner, domain.id, 'many@app.test', { storageLimit });
    const some = (count: number) =>
      store.deliveries.commit(Array.from({ length: count }, () => mail([target(account)], { sizeBytes: 2 })));
    const stored = (verdicts: DeliveryVerdict[]) => verdicts.filter((verdict) => 'ids' in verdict).length;
    const trash = mailboxId(account, 'Trash');
    const [first] = await some(998);
    assert.ok(first && 'ids' in first);
    await store.messages.update(owner, first.ids[0] ?? 0, { mailboxId: trash }, now());
    assert.equal(stored(await some(2)), 2);
    assert.equal(stored(await some(10)), 3);
    assert.deepEqual(await some(1), [{ reason: 'no-room', address: 'many@app.test' }]);
    await store.messages.removeSome(owner, { mailboxId: trash, upTo: Number.MAX_SAFE_INTEGER }, 1);
    assert.equal(stored(await some(2)), 1);
    const found = await store.accounts.find(owner, account.id);
    assert.equal(found?.usedBytes, 2 * 1003);
  },
);
