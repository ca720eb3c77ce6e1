import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#core/adapters/stores/mongo/open.ts';
import { StoreUnavailable } from '#core/errors.ts';
import { newUser } from '#test/conformance/scene.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongod();
});
after(() => mongo.close());

test('many processes may open an empty database at once', async () => {
  const stores = await Promise.all(Array.from({ length: 6 }, () => openMongoStore(mongo)));
  const ids = await Promise.all(stores.map((store, i) => newUser(store, `${i}@team.test`)));
  assert.equal(new Set(ids).size, stores.length);
  await Promise.all(stores.map((store) => store.close()));
});

test('the database of another version is refused', async () => {
  const client = new MongoClient(mongo.uri);
  const meta = client.db().collection<{ _id: string; version: number }>('meta');
  const known = (await meta.findOne({ _id: 'schema' }))?.version ?? 0;
  const refusal = (version: number) => new RegExp(`schema version ${version}, this program knows ${known}:`);
  await meta.updateOne({ _id: 'schema' }, { $inc: { version: 1 } });
  await assert.rejects(openMongoStore(mongo), refusal(known + 1));
  await meta.updateOne({ _id: 'schema' }, { $inc: { version: -2 } });
  await assert.rejects(openMongoStore(mongo), refusal(known - 1));
  await meta.updateOne({ _id: 'schema' }, { $inc: { version: 1 } });
  await client.close();
});

test('opening fails soon with StoreUnavailable if no server answers', async () => {
  const begun = performance.now();
  await assert.rejects(openMongoStore({ uri: 'mongodb://127.0.0.1:1/?replicaSet=none' }), StoreUnavailable);
  assert.ok(performance.now() - begun < 6000);
});
