import assert from 'node:assert/strict';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import { searching } from '#test/support/stores/searching.ts';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  idsOf,
  mailboxId,
  newAccount,
  newUser,
  now,
  onEachStore,
  target,
  wholePage,
} from './scene.ts';

onEachStore(
  'mailboxes are listed in the order of their creation, by page',
  async ({ store, owner, account }) => {
    const made = await store.mailboxes.insert(owner, account.id, 'Archive/2026', new Date());
    assert.ok(made !== null && made !== 'taken');
    const list = await store.mailboxes.list(owner, account.id, wholePage);
    const paths = list?.items.map(({ path }) => path);
    assert.deepEqual(paths, [...systemMailboxes, 'Archive/2026']);
    assert.deepEqual(list?.items.at(-1), made);
    const systems = list?.items.map(({ system }) => system);
    assert.deepEqual(systems, [...systemMailboxes.map(() => true), false]);
    const [inbox] = list.items;
    assert.ok(inbox);
    assert.deepEqual(await store.mailboxes.find(owner, account.id, inbox.id), inbox);
    assert.deepEqual(await store.mailboxes.list(owner, account.id, { page: 2, limit: 5 }), {
      items: [made],
      total: 6,
    });
  },
);

onEachStore('a path is taken without regard to case', async ({ store, owner, domain, account }) => {
  const insert = (path: string) => store.mailboxes.insert(owner, account.id, path, new Date());
  assert.equal(await insert('inbox'), 'taken');
  const made = await insert('Été');
  assert.ok(made !== null && made !== 'taken');
  assert.equal(await insert('ÉTÉ'), 'taken');
  assert.equal(await store.mailboxes.rename(owner, account.id, made.id, 'SENT'), 'taken');
  assert.deepEqual(await store.mailboxes.rename(owner, account.id, made.id, 'ÉTÉ'), { ...made, path: 'ÉTÉ' });
  const other = await newAccount(store, owner, domain.id, 'other@app.test');
  assert.ok(await store.mailboxes.insert(owner, other.id, 'Été', new Date()));
  await store.mailboxes.softDelete(owner, account.id, made.id, new Date());
  const again = await insert('été');
  assert.ok(again !== null && again !== 'taken' && again.id !== made.id);
});

onEachStore("the first mail makes its rule's mailbox, whose name may start with $", async (scene) => {
  const { store, owner, account } = scene;
  const flags = { isFlagged: false, isRead: false, expiresAt: null, discardedBy: null };
  const ruled = { version: null, ruling: { rules: [], tags: [], mailbox: '$receipts', ...flags } };
  const { targets, ...rest } = mail([target(account)]);
  const sorted = { ...rest, targets: targets.map((one) => ({ ...one, ruled })) };
  await store.deliveries.commit([sorted]);
  await store.deliveries.commit([sorted, sorted]);
  const list = await store.mailboxes.list(owner, account.id, wholePage);
  const made = list?.items.filter(({ system }) => !system).map(({ path, total }) => [path, total]);
  assert.deepEqual(made, [['$receipts', 3]]);
});

onEachStore('a stranger, and another account, find nothing', async ({ store, owner, domain, account }) => {
  const stranger = await newUser(store, 'stranger@team.test');
  const other = await newAccount(store, owner, domain.id, 'other@app.test');
  const made = await store.mailboxes.insert(owner, account.id, 'Mine', new Date());
  assert.ok(made !== null && made !== 'taken');
  for (const [who, where] of [
    [stranger, account.id],
    [owner, other.id],
    [owner, 4711],
  ] as const) {
    assert.equal(await store.mailboxes.find(who, where, made.id), null);
    assert.equal(await store.mailboxes.rename(who, where, made.id, 'Theirs'), null);
    assert.equal(await store.mailboxes.softDelete(who, where, made.id, new Date()), false);
  }
  for (const [who, where] of [
    [stranger, account.id],
    [owner, 4711],
  ] as const) {
    assert.equal(await store.mailboxes.list(who, where, wholePage), null);
    assert.equal(await store.mailboxes.insert(who, where, 'New', new Date()), null);
  }
  assert.deepEqual(await store.mailboxes.find(owner, account.id, made.id), made);
});

onEachStore(
  'a deleted mailbox gives its bytes back at once, and its messages are invisible',
  async ({ store, owner, account }) => {
    const made = await store.mailboxes.insert(owner, account.id, 'Old', new Date());
    assert.ok(made !== null && made !== 'taken');
    const kept = await deliver(store, account, { sizeBytes: 100 });
    const doomed = await deliver(store, account, { sizeBytes: 30 });
    assert.ok(await store.messages.update(owner, doomed, { mailboxId: made.id }, now()));
    assert.equal((await countsOf(store, account)).usedBytes, 130);
    assert.equal(await store.mailboxes.softDelete(owner, account.id, made.id, new Date()), true);
    assert.equal(await store.mailboxes.softDelete(owner, account.id, made.id, new Date()), false);
    assert.deepEqual(await countsOf(store, account), { usedBytes: 100, total: 1, unread: 1 });
    assert.equal(await store.messages.find(owner, doomed, now()), null);
    assert.equal(await store.messages.raw(owner, doomed, now()), null);
    assert.equal(await store.messages.update(owner, doomed, { isRead: true }, now()), null);
    assert.equal(
      await store.messages.update(owner, doomed, { mailboxId: mailboxId(account, 'INBOX') }, now()),
      null,
    );
    assert.equal(await store.messages.remove(owner, doomed, now()), null);
    assert.equal(await store.messages.update(owner, kept, { mailboxId: made.id }, now()), 'no-mailbox');
    assert.deepEqual(await idsOf(store, owner, {}), [kept]);
    assert.deepEqual(await idsOf(store, owner, { mailboxId: made.id }), []);
    assert.deepEqual(await idsOf(store, owner, searching({ words: ['hello'] })), [kept]);
  },
);
