import { after } from 'node:test';
import { MongoClient } from 'mongodb';
import { type MongoSettings, openMongoStore } from '#core/adapters/stores/mongo/open.ts';
import { startMongod, type TestMongo } from './mongod.ts';
import type { OpenedStore } from './store.ts';

let mongo: Promise<TestMongo> | null = null;
after(async () => (await mongo)?.close());

/** Opens an empty store on a mongod that the tests of one file share: they run one after the other. */
export async function openTemporaryMongo(settings: Pick<MongoSettings, 'caches'> = {}): Promise<OpenedStore> {
  mongo ??= startMongod();
  const { uri } = await mongo;
  const opened = { store: await openMongoStore({ uri, ...settings }) };
  return {
    ...opened,
    async reopen() {
      await opened.store.close();
      opened.store = await openMongoStore({ uri, ...settings });
      return opened.store;
    },
    async dispose() {
      await opened.store.close();
      await emptyDatabase(uri);
    },
  };
}

/** Removes all rows and leaves the indexes, which take a second to make. */
export async function emptyDatabase(uri: string): Promise<void> {
  const client = new MongoClient(uri, { w: 1 });
  try {
    for (const collection of await client.db().collections()) await collection.deleteMany({});
  } finally {
    await client.close();
  }
}
