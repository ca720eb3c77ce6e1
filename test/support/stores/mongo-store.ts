import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { startMongod, type TestMongo } from './mongod.ts';
import { withPeople } from './people.ts';
import type { OpenedStore, RowCounts } from './store.ts';

let mongo: Promise<TestMongo> | null = null;

/** Closes the tests' mongod once: a second drop of its database would fail. */
export async function closeMongo(): Promise<void> {
  const open = mongo;
  mongo = null;
  await (await open)?.close();
}

/** Opens an empty store on a mongod that one file's tests share. They run one after the other. */
export async function openTemporaryMongo(): Promise<OpenedStore> {
  mongo ??= startMongod();
  const { uri } = await mongo;
  const opened: OpenedStore = {
    store: withPeople(await openMongoStore({ uri })),
    async reopen() {
      await opened.store.close();
      opened.store = withPeople(await openMongoStore({ uri }));
      return opened.store;
    },
    count: () => countRows(uri),
    empty: () => emptyDatabase(uri),
    async dispose() {
      await opened.store.close();
      await emptyDatabase(uri);
    },
  };
  return opened;
}

/** Removes all rows. Keeps the indexes, which take a second to create, and the counters, so IDs are never reused. */
export async function emptyDatabase(uri: string): Promise<void> {
  const client = new MongoClient(uri, { w: 1 });
  try {
    for (const collection of await client.db().collections())
      if (collection.collectionName !== 'counters') await collection.deleteMany({});
  } finally {
    await client.close();
  }
}

/** Internal collections of the store. */
const ofTheStore = ['meta', 'counters', 'leases'];

/** Counts the rows in all collections except those unrelated to a team. */
export async function countRows(uri: string): Promise<RowCounts> {
  const client = new MongoClient(uri);
  try {
    const found = await client.db().collections();
    const wanted = found.filter(({ collectionName }) => !ofTheStore.includes(collectionName));
    const counts = wanted.map(async (one) => [one.collectionName, await one.countDocuments()] as const);
    return Object.fromEntries(await Promise.all(counts));
  } finally {
    await client.close();
  }
}
