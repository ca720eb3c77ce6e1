import assert from 'node:assert/strict';
import type { Visibility } from '#core/messages/message.ts';
import { visibilityAt } from '#core/messages/retention.ts';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  journalOf,
  mailboxId,
  now,
  onEachStore,
  removeExpired,
  target,
  wholePage,
} from './scene.ts';

const minute = 60_000;
const inMinutes = (minutes: number): Visibility => visibilityAt(new Date(Date.now() + minutes * minute), 90);

onEachStore(
  'an expired message is invisible at that instant, in every list and total',
  async ({ store, owner, account }) => {
    const [a = 0, b = 0, c = 0] = await deliverMany(store, account, 3);
    const expiresAt = new Date(Date.now() + 10 * minute);
    await store.messages.update(owner, a, { expiresAt }, now());
    await store.messages.update(owner, b, { expiresAt, autoDelete: false }, now());
    const before: Visibility = { ...now(), now: new Date(expiresAt.getTime() - 1) };
    const at: Visibility = { ...now(), now: expiresAt };
    const inbox = mailboxId(account, 'INBOX');
    for (const filter of [
      {},
      { after: 0 },
      { accountId: account.id },
      { mailboxId: inbox },
      { words: ['mail'] },
    ]) {
      for (const [visibility, ids] of [
        [before, [c, b, a]],
        [at, [c, b]],
      ] as const) {
        const { items, total } = await store.messages.list(owner, filter, wholePage, visibility);
        assert.deepEqual([items.map((item) => item.id), total], [ids, ids.length], JSON.stringify(filter));
      }
    }
    assert.equal((await store.messages.find(owner, a, before))?.id, a);
    assert.equal(await store.messages.find(owner, a, at), null);
    assert.equal(await store.messages.raw(owner, a, at), null);
    assert.equal(await store.messages.update(owner, a, { expiresAt: null }, at), null);
    assert.equal(await store.messages.update(owner, a, { mailboxId: inbox }, at), null);
    assert.equal(await store.messages.remove(owner, a, at), null);
    const counts = await countsOf(store, account);
    assert.deepEqual([counts.total, counts.unread], [3, 3], 'it counts until it is removed');
  },
);

onEachStore(
  'retention ends for messages that were kept from expiring too',
  async ({ store, owner, account }) => {
    const receivedAt = new Date('2026-01-01T00:00:00Z');
    const id = await deliver(store, account, { receivedAt });
    const wide: Visibility = { now: new Date(), receivedAfter: new Date(receivedAt.getTime() - 1) };
    await store.messages.update(owner, id, { autoDelete: false }, wide);
    assert.equal((await store.messages.find(owner, id, wide))?.id, id);
    const narrow: Visibility = { now: new Date(), receivedAfter: receivedAt };
    assert.equal(await store.messages.find(owner, id, narrow), null);
    assert.deepEqual((await store.messages.list(owner, {}, wholePage, narrow)).total, 0);
    const [commit] = await removeExpired(store, narrow, 10);
    assert.equal(commit?.result, 1);
    assert.deepEqual(await removeExpired(store, narrow, 10), []);
  },
);

onEachStore(
  'expired messages are removed in batches, each with its event, all others stay',
  async ({ store, owner, account }) => {
    const ids = await deliverMany(store, account, 6, { sizeBytes: 10 });
    for (const id of ids.slice(0, 5)) {
      await store.messages.update(owner, id, { expiresAt: new Date(Date.now() + minute) }, now());
    }
    assert.deepEqual(await removeExpired(store, now(), 10), []);
    const later = inMinutes(2);
    const steps = [];
    for (let i = 0; i < 4; i += 1) steps.push(await removeExpired(store, later, 2));
    assert.deepEqual(
      steps.map((commits) => commits.map(({ owner, result }) => [owner, result])),
      [[[owner, 2]], [[owner, 2]], [[owner, 1]], []],
    );
    const deleted = (await journalOf(store, owner)).filter((event) => event.type === 'message.deleted');
    assert.deepEqual(
      deleted.map((event) => event.messageId).sort((a, b) => a - b),
      ids.slice(0, 5),
    );
    assert.deepEqual(
      deleted,
      steps.flat().flatMap((commit) => commit.events),
    );
    assert.deepEqual(await countsOf(store, account), { usedBytes: 10, total: 1, unread: 1 });
  },
);

onEachStore(
  'an expired copy in Sent leaves the totals of other lists alone',
  async ({ store, owner, account }) => {
    const receivedAt = new Date('2026-01-01T00:00:00Z');
    await store.deliveries.commit([
      mail([target(account), target(account, { mailbox: 'Sent' })], { receivedAt }),
      mail([target(account)]),
    ]);
    for (const filter of [{}, { after: 0 }, { accountId: account.id }]) {
      const visibility: Visibility = { now: new Date(), receivedAfter: receivedAt };
      const { items, total } = await store.messages.list(owner, filter, wholePage, visibility);
      assert.deepEqual([items.length, total], [1, 1], JSON.stringify(filter));
    }
  },
);

onEachStore(
  'a message that is past both its expiry and its retention counts once',
  async ({ store, owner, account }) => {
    const receivedAt = new Date('2026-01-01T00:00:00Z');
    const wide: Visibility = { now: receivedAt, receivedAfter: new Date(0) };
    const old = await deliver(store, account, { receivedAt });
    await store.messages.update(owner, old, { expiresAt: new Date('2026-01-02T00:00:00Z') }, wide);
    const id = await deliver(store, account);
    const { items, total } = await store.messages.list(owner, {}, wholePage, now());
    const narrow = await store.messages.list(owner, {}, wholePage, {
      now: new Date(),
      receivedAfter: receivedAt,
    });
    assert.deepEqual([items.map((item) => item.id), total, narrow.total], [[id], 1, 1]);
  },
);

onEachStore('a change that hides the message has an event too', async ({ store, owner, account }) => {
  const id = await deliver(store, account);
  const change = { expiresAt: new Date(0), isRead: true };
  const committed = await store.messages.update(owner, id, change, now());
  assert.ok(committed !== null && committed !== 'no-mailbox');
  assert.deepEqual(committed.result.expiresAt, new Date(0));
  assert.equal(committed.events.length, 1);
  assert.equal(await store.messages.find(owner, id, now()), null);
});
