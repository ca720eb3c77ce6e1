import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#core/adapters/stores/mongo/open.ts';
import { NotFound } from '#core/errors.ts';
import { mail } from '#test/conformance/mail.ts';
import { gather, newAccount, newDomain, newUser, now, rawOf, target } from '#test/conformance/scene.ts';
import { startMongod } from '#test/support/stores/mongod.ts';

test('a body that messages of an earlier version share goes with the last of them', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  const store = await openMongoStore(mongo);
  t.after(() => store.close());
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domain.id, 'qa@app.test');
  const shared = mail([target(account), target(account, { mailbox: 'Sent' })]);
  const [verdict] = await store.deliveries.commitDeliveries([shared]);
  assert.ok(verdict && 'ids' in verdict);
  const [first = 0, second = 0] = verdict.ids;
  const client = new MongoClient(mongo.uri);
  await client
    .db()
    .collection('messages')
    .updateMany({}, { $unset: { siblings: '' } });
  await client.close();
  const bytes = await rawOf(store, owner, second);
  const raw = await store.messages.raw(owner, second, now());
  assert.ok(raw);
  await store.messages.remove(owner, first, now());
  assert.deepEqual(await rawOf(store, owner, second), bytes);
  await store.messages.remove(owner, second, now());
  await assert.rejects(gather(raw.open()), NotFound);
});

test('domains of an earlier version keep related names from others', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  const before = await openMongoStore(mongo);
  const [owner, stranger] = [await newUser(before), await newUser(before, 'stranger@team.test')];
  const { id: _, ...domain } = await newDomain(before, owner, 'app.test');
  await before.close();
  const client = new MongoClient(mongo.uri);
  await client
    .db()
    .collection('domains')
    .updateMany({}, { $unset: { path: '' } });
  await client.close();
  const store = await openMongoStore(mongo);
  t.after(() => store.close());
  assert.equal(await store.domains.insert(stranger, { ...domain, name: 'mail.app.test' }), 'overlaps');
});
