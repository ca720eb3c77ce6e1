import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { type BoundServer, bindServer } from './bound-server.ts';
import { mongodBinary } from './mongod-binary.ts';

/** MongoDB for one test file, with a separate database. */
export type TestMongo = {
  uri: string;
  /** Process, to stop and start. Null if `SANDPOST_TEST_MONGODB_URI` names a MongoDB. */
  server: BoundServer | null;
  close(): Promise<void>;
};

/**
 * Starts a real mongod as a single-member replica set, or uses the one at `SANDPOST_TEST_MONGODB_URI`. The database has a name
 * that no other test file uses, and `close` drops it. The cache is small because several run side by side.
 */
export async function startMongod(cacheGb?: number, parent?: string): Promise<TestMongo> {
  const given = process.env.SANDPOST_TEST_MONGODB_URI;
  if (given === undefined) return startOwnMongod(cacheGb, parent);
  const uri = withDatabase(given, newName());
  return { uri, server: null, close: () => dropDatabase(uri) };
}

/** Starts the caller's own mongod, regardless of the environment, to end and restart. */
export async function startOwnMongod(
  cacheGb?: number,
  parent?: string,
): Promise<TestMongo & { server: BoundServer }> {
  const server = await bindMongod('sandpost', cacheGb, [], parent);
  await server.start();
  await initiate('sandpost', [server.port]);
  const uri = `mongodb://127.0.0.1:${server.port}/${newName()}?replicaSet=sandpost`;
  await writable(uri);
  return { uri, server, close: () => server.remove() };
}

/**
 * Creates a mongod, not started yet, with its journal on. Appends `more` to its arguments. Its data is in `parent`, or in the
 * system's temporary folder.
 */
export async function bindMongod(
  replicaSet: string,
  cacheGb = 0.25,
  more: string[] = [],
  parent?: string,
): Promise<BoundServer> {
  const argsFor = (port: number, folder: string) => [
    ...['--replSet', replicaSet, '--bind_ip', '127.0.0.1', '--port', String(port)],
    ...['--dbpath', folder, '--logpath', `${folder}/log`, '--logappend', '--nounixsocket'],
    ...['--wiredTigerCacheSizeGB', String(cacheGb), '--oplogSize', '256'],
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    ...more,
  ];
  return bindServer(await mongodBinary(), argsFor, parent);
}

/** Forms one replica set from the members on these ports. `options` are appended to the address. */
export async function initiate(replicaSet: string, ports: number[], options = ''): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${ports[0]}/?directConnection=true${options}`);
  const members = ports.map((port, index) => ({ _id: index, host: `127.0.0.1:${port}` }));
  // A busy machine delays heartbeats, which must not look like a dead primary.
  const settings = { electionTimeoutMillis: 5000 };
  try {
    await client.db('admin').command({ replSetInitiate: { _id: replicaSet, members, settings } });
  } finally {
    await client.close();
  }
}

/** Resolves when the replica set has a primary. */
export async function writable(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db('admin').command({ ping: 1 });
  } finally {
    await client.close();
  }
}

/** Drops the database that the URI names. */
export async function dropDatabase(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}

const newName = () => `sandpost_test_${randomBytes(6).toString('hex')}`;

/** Returns the same server's URI for another database. */
export function withDatabase(uri: string, name: string): string {
  return uri.replace(/^([a-z+]+:\/\/[^/?]+)(\/[^?]*)?/, `$1/${name}`);
}
