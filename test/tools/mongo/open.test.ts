import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { StoreUnavailable } from '#core/errors.ts';
import { newUser } from '#test/once/conformance/scene.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';
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

test('a database that needs a newer program, or is older than what can be migrated, is refused', async () => {
  const client = new MongoClient(mongo.uri);
  const meta = client.db().collection<{ _id: string; version: number }>('meta');
  const known = (await meta.findOne({ _id: 'schema' }))?.version ?? 0;
  const cases: [version: number, RegExp][] = [
    [999, /^the database is from a later version of Sandpost .*999.*: use that version, or a different/],
    [known - 1, /^the database is from an earlier version of Sandpost .*: export it with that version/],
  ];
  for (const [version, message] of cases) {
    await meta.updateOne({ _id: 'schema' }, { $set: { version } });
    await assert.rejects(openMongoStore(mongo), { message });
  }
  await meta.updateOne({ _id: 'schema' }, { $set: { version: known } });
  await client.close();
});

test('opening fails soon with StoreUnavailable if no server answers', async () => {
  const uri = 'mongodb://127.0.0.1:1/?replicaSet=none';
  const took = await shortest(6000, () =>
    durationOf(() => assert.rejects(openMongoStore({ uri }), StoreUnavailable)),
  );
  assert.ok(took < 6000, `${took} ms`);
});
