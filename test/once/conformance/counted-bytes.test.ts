import assert from 'node:assert/strict';
import type { Account } from '#core/accounts/account.ts';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import type { Store } from '#core/store.ts';
import { mail } from './mail.ts';
import {
  clearAll,
  countsOf,
  deliver,
  mailboxId,
  newAccount,
  now,
  onEachStore,
  removeExpired,
  target,
} from './scene.ts';

/** Target with 100 recipients, each with a 490-character ORCPT. */
function longTarget(account: Account): DeliveryTarget {
  const plain = target(account);
  const rcptTo = Array.from({ length: 100 }, (_, index) => `qa+tag${index}@app.test`);
  const orcpt = `rfc822;${'x'.repeat(483)}`;
  const recipients = rcptTo.map((address) => ({ address, notify: [], orcpt }));
  return { ...plain, envelope: { ...plain.envelope, rcptTo, dsn: { ret: null, envid: null, recipients } } };
}

/** Bytes that an email of `sizeBytes` to `longTarget` counts. */
function bytesOf(account: Account, sizeBytes: number): number {
  return sizeBytes + Buffer.byteLength(JSON.stringify(longTarget(account).envelope)) - 2048;
}

async function deliverLong(store: Store, account: Account, sizeBytes = 2): Promise<number> {
  const [verdict] = await store.deliveries.commit([mail([longTarget(account)], { sizeBytes })]);
  assert.ok(verdict && 'ids' in verdict, JSON.stringify(verdict));
  return verdict.ids[0] ?? 0;
}

const usedBytes = async (store: Store, account: Account) => (await countsOf(store, account)).usedBytes;

onEachStore(
  'what is kept beside a body counts, beyond that of an ordinary mail',
  async ({ store, owner, account }) => {
    await deliver(store, account, { sizeBytes: 500 });
    assert.equal(await usedBytes(store, account), 500);
    const bytes = bytesOf(account, 2);
    assert.ok(bytes > 50_000);
    const id = await deliverLong(store, account);
    assert.equal(await usedBytes(store, account), 500 + bytes);
    const message = await store.messages.find(owner, id, now());
    assert.equal(message?.sizeBytes, 2, 'its size is the one as received');
  },
);

onEachStore('the request to a provider counts', async ({ store, account }) => {
  const submission = { provider: 'sendgrid', request: 'é'.repeat(30_000) };
  await deliver(store, account, { sizeBytes: 246, submission });
  const { envelope } = target(account);
  const kept = [submission, envelope].map((value) => Buffer.byteLength(JSON.stringify(value)));
  assert.equal(await usedBytes(store, account), 246 + kept.reduce((sum, bytes) => sum + bytes, 0) - 2048);
});

onEachStore('mail is refused for what is kept beside it', async ({ store, owner, domain }) => {
  const storageLimit = 150_000;
  const account = await newAccount(store, owner, domain.id, 'small@app.test', { storageLimit });
  const batch = Array.from({ length: 4 }, () => mail([longTarget(account)], { sizeBytes: 2 }));
  const one = async () => (await store.deliveries.commit(batch.slice(0, 1)))[0];
  const verdicts = [...(await store.deliveries.commit(batch)), await one()];
  assert.deepEqual(
    verdicts.map((verdict) => verdict && 'ids' in verdict),
    [true, true, false, false, false],
  );
  assert.equal(await usedBytes(store, account), 2 * bytesOf(account, 2));
});

onEachStore(
  'exactly what a message counted is given back, wherever it was moved',
  async ({ store, owner, account }) => {
    const side = await store.mailboxes.insert(owner, account.id, 'Side', new Date());
    assert.ok(side !== null && side !== 'taken');
    const [removed, moved, emptied, expired, read] = await Promise.all(
      Array.from({ length: 5 }, () => deliverLong(store, account)),
    );
    const bytes = bytesOf(account, 2);
    assert.equal(await usedBytes(store, account), 5 * bytes);
    await store.messages.update(owner, read ?? 0, { isRead: true }, now());
    await store.messages.remove(owner, removed ?? 0, now());
    assert.equal(await usedBytes(store, account), 4 * bytes);
    await store.messages.update(owner, moved ?? 0, { mailboxId: side.id }, now());
    assert.equal(await usedBytes(store, account), 4 * bytes);
    await store.mailboxes.softDelete(owner, account.id, side.id, new Date());
    assert.equal(await usedBytes(store, account), 3 * bytes);
    await clearAll(store);
    assert.equal(await usedBytes(store, account), 3 * bytes);
    const trash = mailboxId(account, 'Trash');
    await store.messages.update(owner, emptied ?? 0, { mailboxId: trash }, now());
    await store.messages.removeSome(owner, { mailboxId: trash, upTo: Number.MAX_SAFE_INTEGER }, 10);
    assert.equal(await usedBytes(store, account), 2 * bytes);
    const past = new Date(Date.now() - 1000);
    await store.messages.update(owner, expired ?? 0, { expiresAt: past }, now());
    while ((await removeExpired(store, now(), 10)).length > 0);
    assert.equal(await usedBytes(store, account), bytes);
    await store.messages.remove(owner, read ?? 0, now());
    assert.equal(await usedBytes(store, account), 0);
  },
);

onEachStore(
  'what counts stays exact while mail is stored and removed at once',
  async ({ store, owner, domain }) => {
    const bytes = (sizeBytes: number) => bytesOf(account, sizeBytes);
    const account = await newAccount(store, owner, domain.id, 'busy@app.test', { storageLimit: 600_000 });
    const sizes = Array.from({ length: 24 }, (_, index) => index);
    await Promise.all(
      sizes.map(async (size) => {
        const [verdict] = await store.deliveries.commit([mail([longTarget(account)], { sizeBytes: size })]);
        if (verdict && 'ids' in verdict && size % 2 === 0) {
          await store.messages.remove(owner, verdict.ids[0] ?? 0, now());
        }
      }),
    );
    const { items } = await store.messages.list(
      owner,
      { accountId: account.id },
      { page: 1, limit: 200 },
      now(),
    );
    const counted = items.reduce((sum, { sizeBytes }) => sum + bytes(sizeBytes), 0);
    assert.ok(counted <= 600_000);
    assert.equal(await usedBytes(store, account), counted);
  },
);
