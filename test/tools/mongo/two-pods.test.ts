import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Account } from '#core/accounts/account.ts';
import type { DeliveryStore } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import { mail } from '#test/once/conformance/mail.ts';
import {
  clearAll,
  countsOf,
  deliverMany,
  journalOf,
  mailboxId,
  newAccount,
  newDomain,
  newUser,
  now,
  removeExpired,
  target,
  wholePage,
} from '#test/once/conformance/scene.ts';
import { until } from '#test/support/runner/until.ts';
import { emptyDatabase } from '#test/support/stores/mongo-store.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';

let mongo: TestMongo;
let a: Store;
let b: Store;
let db: MongoClient;
let retries = 0;
let owner: Id;
let account: Account;
const onRetry = () => {
  retries += 1;
};
const open = () => openMongoStore({ uri: mongo.uri, onRetry }).then(withPeople);

before(async () => {
  mongo = await startMongod();
  db = new MongoClient(mongo.uri);
});
after(async () => {
  await db.close();
  await mongo.close();
});
beforeEach(async () => {
  [a, b] = await Promise.all([open(), open()]);
  owner = await newUser(a);
  const domain = await newDomain(a, owner, 'app.test');
  account = await newAccount(a, owner, domain.id, 'qa@app.test');
  retries = 0;
});
afterEach(async () => {
  await Promise.all([a.close(), b.close()]);
  await emptyDatabase(mongo.uri);
});

/** Delivers `count` emails one after the other. */
async function client(commit: DeliveryStore['commit'], count: number, bytes: Uint8Array) {
  let taken = 0;
  for (let i = 0; i < count; i += 1) {
    const [verdict] = await commit([mail([target(account)], { subject: `mail ${i}`, bytes })]);
    if (verdict && 'ids' in verdict) taken += 1;
  }
  return taken;
}

/** Checks that events are numbered 1, 2, 3 and so on, and that each message was received once and deleted at most once. */
async function assertJournal(received: number, deleted: number) {
  const events = await journalOf(a, owner);
  const numbers = events.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    events.map((_, i) => i + 1),
  );
  for (const [type, count] of [
    ['message.received', received],
    ['message.deleted', deleted],
  ] as const) {
    const ids = events.filter((event) => event.type === type).map((event) => event.messageId);
    assert.equal(ids.length, count, type);
    assert.equal(new Set(ids).size, count, `${type}, each once`);
  }
}

test('two processes deliver to one account: nothing is lost, counted twice or out of order', async (t) => {
  const bytes = Buffer.alloc(4000, 'x');
  const commits = [a.deliveries.commit, b.deliveries.commit];
  const begun = performance.now();
  const clients = commits.flatMap((commit) => Array.from({ length: 8 }, () => client(commit, 25, bytes)));
  const taken = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0);
  const seconds = (performance.now() - begun) / 1000;
  t.diagnostic(`${taken} mails, ${Math.round(taken / seconds)} a second, ${retries} retries`);
  assert.equal(taken, 400);
  assert.deepEqual(await countsOf(b, account), { usedBytes: 400 * 4000, total: 400, unread: 400 });
  await assertJournal(400, 0);
  const { items, total } = await b.messages.list(owner, {}, wholePage, now());
  assert.equal(total, 400);
  const numbers = items.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: 200 }, (_, i) => 400 - i),
  );
});

test('a quota is exact across processes', async () => {
  await a.accounts.update(owner, account.id, { storageLimit: 40 * 1000 }, new Date());
  const bytes = Buffer.alloc(1000, 'x');
  const commits = [a.deliveries.commit, b.deliveries.commit];
  const clients = commits.flatMap((commit) => Array.from({ length: 4 }, () => client(commit, 10, bytes)));
  const taken = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0);
  assert.equal(taken, 40);
  assert.equal((await countsOf(a, account)).usedBytes, 40_000);
  await assertJournal(40, 0);
});

test('both remove what expired and what a user empties, while mail comes in: one event each', async (t) => {
  const old = new Date(Date.now() - 60_000);
  const bytes = Buffer.alloc(1000, 'x');
  for (let i = 0; i < 3; i += 1) await deliverMany(a, account, 50, { receivedAt: old, bytes });
  await deliverMany(a, account, 50, { bytes });
  const horizon = { now: new Date(), receivedAfter: new Date(Date.now() - 30_000) };
  const expire = async (store: Store) => {
    while ((await removeExpired(store, horizon, 20)).length > 0);
  };
  const empty = async (store: Store) => {
    while (
      (await store.messages.removeSome(owner, { mailboxId: mailboxId(account, 'INBOX'), upTo: 200 }, 30))
        .result > 0
    );
  };
  const commit = b.deliveries.commit;
  await Promise.all([expire(a), expire(b), empty(a), empty(b), client(commit, 20, bytes)]);
  await Promise.all([expire(a), empty(b)]);
  t.diagnostic(`${retries} retries`);
  assert.deepEqual(await countsOf(a, account), { usedBytes: 20_000, total: 20, unread: 20 });
  await assertJournal(220, 200);
});

test('both clear a deleted domain, to which mail is still under way', async (t) => {
  const [domain] = (await a.rows.list('domains', { team: owner }, wholePage)).items;
  assert.ok(domain);
  await deliverMany(a, account, 100);
  const commit = b.deliveries.commit;
  const coming = client(commit, 40, Buffer.alloc(10));
  await until(async () => ((await a.journal.heads([owner])).get(owner) ?? 0) > 110);
  assert.equal(await a.domains.softDelete(owner, domain.id, new Date()), true);
  const [taken] = await Promise.all([coming, clearAll(a, 30), clearAll(b, 30)]);
  await clearAll(a, 30);
  t.diagnostic(`${taken} came before the deletion, ${retries} retries`);
  await assertJournal(100 + taken, 100 + taken);
  for (const name of ['messages', 'mailboxes', 'accounts', 'domains', 'bodies.files', 'bodies.chunks']) {
    assert.equal(await db.db().collection(name).countDocuments(), 0, name);
  }
  for (const name of ['largeContents.files', 'orphanBodies', 'tokens', 'conversations', 'searchPieces']) {
    assert.equal(await db.db().collection(name).countDocuments(), 0, name);
  }
});

test('messages that both change at once are read, moved and deleted once', async () => {
  const ids = await deliverMany(a, account, 30);
  const junk = mailboxId(account, 'Junk');
  const change = async (store: Store, id: Id) => {
    await store.messages.update(owner, id, { isRead: true }, now());
    await store.messages.update(owner, id, { mailboxId: junk }, now());
  };
  await Promise.all(ids.slice(0, 20).flatMap((id) => [change(a, id), change(b, id)]));
  const gone = await Promise.all(
    ids.slice(20).flatMap((id) => [a, b].map((store) => store.messages.remove(owner, id, now()))),
  );
  assert.equal(gone.filter((commit) => commit !== null).length, 10, 'one of two deletes');
  const { items, total } = await a.messages.list(owner, { mailboxId: junk }, wholePage, now());
  assert.equal(total, 20);
  const usedBytes = items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  assert.deepEqual(await countsOf(a, account, 'INBOX'), { usedBytes, total: 0, unread: 0 });
  assert.deepEqual(await countsOf(b, account, 'Junk'), { usedBytes, total: 20, unread: 0 });
});
