import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Id } from '#core/ids.ts';
import {
  accountInput,
  deliverMany,
  newAccount,
  newDomain,
  newUser,
  now,
  removeExpired,
} from '#test/once/conformance/scene.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';

let mongo: TestMongo;
let a: Store;
let b: Store;
let owner: Id;
let client: MongoClient;
before(async () => {
  mongo = await startMongod();
  [a, b] = await Promise.all([
    openMongoStore(mongo).then(withPeople),
    openMongoStore(mongo).then(withPeople),
  ]);
  owner = await newUser(a);
  client = new MongoClient(mongo.uri);
});
after(async () => {
  await client.close();
  await Promise.all([a.close(), b.close()]);
  await mongo.close();
});

test('nothing is made in a domain that another process deletes at that moment', async (t) => {
  let made = 0;
  for (let round = 0; round < 20; round += 1) {
    const domain = await newDomain(a, owner, `d${round}.test`);
    const account = await newAccount(a, owner, domain.id, `qa@d${round}.test`);
    const softDelete = async () => {
      // Delays the deletion a little more each round.
      for (let i = 0; i < round; i += 1) await a.users.findById(owner);
      await a.domains.softDelete(owner, domain.id, new Date());
    };
    const [, mailbox, inserted] = await Promise.all([
      softDelete(),
      b.mailboxes.insert(owner, account.id, 'New', new Date()),
      b.accounts.insert(owner, accountInput(domain.id, `new@d${round}.test`)),
    ]);
    made += [mailbox, inserted].filter((one) => one !== null).length;
  }
  t.diagnostic(`${made} of 40 came before the deletion`);
  for (const name of ['domains', 'accounts', 'mailboxes']) {
    assert.equal(await client.db().collection(name).countDocuments({ deleted: false }), 0, name);
  }
});

test('an expiry that was moved in time is not acted upon', async (t) => {
  const domain = await newDomain(a, owner, 'expiry.test');
  const account = await newAccount(a, owner, domain.id, 'qa@expiry.test');
  const expiresAt = new Date(Date.now() + 3_600_000);
  const later = { ...now(), now: new Date(expiresAt.getTime() + 1) };
  let kept = 0;
  for (let round = 0; round < 5; round += 1) {
    const ids = await deliverMany(a, account, 10);
    for (const id of ids) await a.messages.update(owner, id, { expiresAt }, now());
    const [updates] = await Promise.all([
      Promise.all(ids.map((id) => b.messages.update(owner, id, { expiresAt: null }, now()))),
      removeExpired(a, later, 100),
    ]);
    for (const [i, id] of ids.entries()) {
      const found = await a.messages.find(owner, id, now());
      assert.equal(found !== null, updates[i] !== null, 'kept if and only if the change was told to be made');
      kept += found === null ? 0 : 1;
    }
  }
  t.diagnostic(`${kept} of 50 were kept`);
});
