import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Account } from '#core/accounts/account.ts';
import type { DeliveryVerdict } from '#core/delivery/delivery.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import { mail } from '#test/once/conformance/mail.ts';
import {
  countsOf,
  mailboxId,
  messageOf,
  newAccount,
  newDomain,
  newUser,
  now,
  target,
} from '#test/once/conformance/scene.ts';
import { profiled } from '#test/support/stores/mongo-profile.ts';
import { emptyDatabase } from '#test/support/stores/mongo-store.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';

/** Two processes. One changes the account that the other delivers to. */
let mongo: TestMongo;
let a: Store;
let b: Store;
let owner: Id;
let domain: Domain;
let account: Account;

before(async () => {
  mongo = await startMongod();
});
after(() => mongo.close());
beforeEach(async () => {
  [a, b] = await Promise.all([
    openMongoStore(mongo).then(withPeople),
    openMongoStore(mongo).then(withPeople),
  ]);
  owner = await newUser(a);
  domain = await newDomain(a, owner, 'app.test');
  account = await newAccount(a, owner, domain.id, 'qa@app.test');
});
afterEach(async () => {
  await Promise.all([a.close(), b.close()]);
  await emptyDatabase(mongo.uri);
});

type Words = Parameters<typeof mail>[1];

async function deliver(store: Store, words: Words = {}): Promise<DeliveryVerdict | undefined> {
  const [verdict] = await store.deliveries.commit([mail([target(account)], words)]);
  return verdict;
}

async function taken(store: Store, words: Words = {}): Promise<Id> {
  const verdict = await deliver(store, words);
  assert.ok(verdict !== undefined && 'ids' in verdict);
  return verdict.ids[0] ?? 0;
}

const thousand = { bytes: Buffer.alloc(1000, 'x') };
const refusedFor = (reason: string) => ({ reason, address: 'qa@app.test' });
const changes: [string, (store: Store) => Promise<unknown>, string][] = [
  [
    'deactivates it',
    (store) => store.accounts.update(owner, account.id, { active: false }, new Date()),
    'inactive',
  ],
  [
    'deactivates its domain',
    (store) => store.domains.update(owner, domain.id, { active: false }, new Date()),
    'inactive',
  ],
  ['deletes it', (store) => store.accounts.softDelete(owner, account.id, new Date()), 'gone'],
  ['deletes its domain', (store) => store.domains.softDelete(owner, domain.id, new Date()), 'gone'],
  [
    'lowers its limit',
    (store) => store.accounts.update(owner, account.id, { storageLimit: 3500 }, new Date()),
    'no-room',
  ],
];
for (const [what, change, reason] of changes) {
  for (const who of ['this process', 'another'] as const) {
    test(`deliveries see at once that ${who} ${what}`, async () => {
      for (let i = 0; i < 3; i += 1) await taken(a, thousand);
      await change(who === 'another' ? b : a);
      assert.deepEqual(await deliver(a, thousand), refusedFor(reason));
      assert.deepEqual(await deliver(a, thousand), refusedFor(reason), 'and stays so');
    });
  }
}

test('room that another process takes and gives back is counted', async () => {
  await a.accounts.update(owner, account.id, { storageLimit: 3000 }, new Date());
  const first = await taken(a, thousand);
  await taken(a, thousand);
  await taken(b, thousand);
  assert.deepEqual(await deliver(a, thousand), refusedFor('no-room'));
  assert.deepEqual(await deliver(a, thousand), refusedFor('no-room'));
  await b.messages.remove(owner, first, now());
  await taken(a, thousand);
  assert.deepEqual(await deliver(a, thousand), refusedFor('no-room'));
  await b.messages.removeSome(owner, { mailboxId: mailboxId(account, 'INBOX'), upTo: 200 }, 30);
  for (let i = 0; i < 3; i += 1) await taken(a, thousand);
  assert.deepEqual(await countsOf(b, account), { usedBytes: 3000, total: 3, unread: 3 });
});

test('messages that another process stores count towards the most that an account has', async () => {
  await a.accounts.update(owner, account.id, { storageLimit: 1010 * 1024 }, new Date());
  const some = async (store: Store, count: number): Promise<number> => {
    const mails = Array.from({ length: count }, () => mail([target(account)], { sizeBytes: 2 }));
    const verdicts = await store.deliveries.commit(mails);
    return verdicts.filter((verdict) => 'ids' in verdict).length;
  };
  assert.equal(await some(a, 10), 10);
  assert.equal(await some(b, 990), 990);
  assert.equal(await some(a, 5), 5);
  assert.equal(await some(b, 10), 5);
  assert.equal(await some(a, 1), 0);
  assert.equal((await countsOf(b, account)).total, 1010);
});

for (const who of ['this process', 'another'] as const) {
  test(`a reply that came to ${who} before its parent is found`, async () => {
    await taken(a);
    const answer = await taken(who === 'another' ? b : a, { references: ['<1@x>'] });
    const asked = await taken(a, { msgid: '<1@x>' });
    const later = await taken(a, { references: ['<1@x>'] });
    for (const message of [answer, asked, later]) {
      assert.equal((await messageOf(a, owner, message)).threadId, answer);
    }
  });
}

test('an account without threads is not searched for any', async () => {
  const client = new MongoClient(mongo.uri);
  // Leaves out checks of the lock, which follow a transaction while another process takes turns, and lookups of the team's payer,
  // which occur every few minutes.
  const others = ['teamVersions', 'members', 'users'];
  const read = async (words: Words) => {
    const operations = await profiled(client.db(), () => taken(a, words));
    return operations
      .filter(({ op, command }) => op === 'query' || command?.aggregate !== undefined)
      .map(({ ns }) => String(ns).split('.')[1])
      .filter((collection = '') => !others.includes(collection));
  };
  // The team's payer is cached for some minutes.
  await a.payers.of(owner);
  try {
    assert.deepEqual(await read({ msgid: '<1@x>' }), ['mailboxes']);
    assert.deepEqual(await read({ references: ['<before@x>'] }), ['mailboxes', 'messages']);
    assert.deepEqual(await read({ msgid: '<3@x>' }), ['mailboxes', 'tokens']);
  } finally {
    await client.close();
  }
});
