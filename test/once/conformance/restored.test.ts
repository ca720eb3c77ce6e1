import assert from 'node:assert/strict';
import { mail } from './mail.ts';
import { countsOf, deliver, journalOf, mailboxId, messageOf, onEachStore, target } from './scene.ts';

onEachStore(
  'a message of an archive is restored as it was, with the newest number and no event',
  async (scene) => {
    const { store, owner, account } = scene;
    const first = await deliver(store, account);
    const expiresAt = new Date(Date.now() + 86_400_000);
    const drafts = mailboxId(account, 'Drafts');
    const state = { isRead: true, isFlagged: true, expiresAt, autoDelete: false, copy: false };
    const targets = [target(account, { mailbox: { id: drafts, ...state } })];
    const [verdict] = await store.deliveries.commit([mail(targets, { subject: 'old' })]);
    assert.ok(verdict && 'ids' in verdict);
    assert.deepEqual(
      verdict.commits.flatMap(({ events }) => events),
      [],
    );
    const { number, mailboxId: place, ...rest } = await messageOf(store, owner, verdict.ids[0] ?? 0);
    assert.deepEqual({ number, place }, { number: 2, place: drafts });
    for (const [name, value] of Object.entries(state))
      assert.deepEqual(rest[name as keyof typeof rest], value, name);
    assert.equal((await store.journal.heads([owner])).get(owner), 2);
    const messageIds = (await journalOf(store, owner)).map((event) => event.messageId);
    assert.deepEqual(messageIds, [first]);
    await deliver(store, account);
    const numbers = (await journalOf(store, owner)).map((event) => event.number);
    assert.deepEqual(numbers, [1, 3]);
    const counts = await countsOf(store, account);
    assert.ok(counts);
  },
);

onEachStore('a restored message for a mailbox of another account is refused', async ({ store, account }) => {
  const state = { isRead: false, isFlagged: false, expiresAt: null, autoDelete: true, copy: false };
  const targets = [target(account, { mailbox: { id: 999_999, ...state } })];
  assert.deepEqual(await store.deliveries.commit([mail(targets)]), [
    { reason: 'gone', address: account.address },
  ]);
});
