import { createRequire } from 'node:module';
import { type Db, MongoClient, MongoServerSelectionError } from 'mongodb';
import { Examinations } from '#adapters/stores/examinations.ts';
import { withGroupCommit } from '#adapters/stores/group-commit.ts';
import { createBucket } from '#adapters/stores/mongo/bodies/bodies.ts';
import { createOrphanBodies } from '#adapters/stores/mongo/bodies/orphan-bodies.ts';
import { createReadCache, createReader } from '#adapters/stores/mongo/cache/read-cache.ts';
import { createRows } from '#adapters/stores/mongo/changes/changes.ts';
import { createDeliveries, groupingBy } from '#adapters/stores/mongo/delivery/deliveries.ts';
import { appName } from '#adapters/stores/mongo/locking/abandoned.ts';
import { createTeamLocks } from '#adapters/stores/mongo/locking/team-lock.ts';
import { createArchive, createTagCounts } from '#adapters/stores/mongo/messages/message-selection.ts';
import { createMessages } from '#adapters/stores/mongo/messages/messages.ts';
import { createApiKeys, createRoles, createSessions } from '#adapters/stores/mongo/people/callers.ts';
import { cachedMailboxes, captureFinder, openSmallPorts } from '#adapters/stores/mongo/rows/ports.ts';
import { ensureIndexes } from '#adapters/stores/mongo/schema/indexes.ts';
import { type Collections, type ContentNote, collectionsOf } from '#adapters/stores/mongo/schema/rows.ts';
import {
  checkSchema,
  installationOf,
  noteMigrations,
  upgradeOf,
} from '#adapters/stores/mongo/schema/schema.ts';
import type { Upgrade } from '#adapters/stores/version.ts';
import { Payers } from '#core/access/payers.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { LeaseStore, Store } from '#core/store.ts';
import { type Context, createCaughtUp } from './context.ts';
import { createIdSource } from './counters.ts';
import { guarded, isDuplicate, translated } from './errors.ts';
import { createJournal } from './journal.ts';
import { createMoves } from './moves.ts';
import { createUpkeep } from './upkeep.ts';

/**
 * Store settings. Calls `onRetry` for each retry of a transaction. A batch waits at most 10 ms for the emails that `examining` counts.
 */
export type MongoSettings = { uri: string; onRetry?: () => void; examining?: Examinations };

/**
 * Opens the store in the database that the URI names (default: `sandpost`), which must belong to a replica set. Creates missing
 * collections and indexes. Throws StoreUnavailable, or a one-sentence error if the server lacks transactions or is too old, or if this
 * program does not support the database's version.
 */
export async function openMongoStore({
  uri,
  onRetry = () => {},
  examining = new Examinations(),
}: MongoSettings): Promise<Store> {
  const client = createClient(uri);
  try {
    const db = client.db(databaseOf(uri));
    const collections = collectionsOf(db);
    await prepare(db, collections);
    const context = contextOf(client, db, onRetry);
    return storeOn(context, await installationOf(collections), examining);
  } catch (error) {
    await client.close();
    throw translated(error);
  }
}

/** Maximum attempts to prepare a database: processes that start on a new database at the same time interfere with each other. */
const mostAttempts = 3;

/** Checks the server and the version, and creates what is missing. Retries after a transient error, unless no server answers. */
async function prepare(db: Db, collections: Collections): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await checkServer(db);
      await checkSchema(collections);
      await ensureIndexes(db, collections);
      await noteMigrations(collections);
      return;
    } catch (error) {
      const passes =
        translated(error) instanceof StoreUnavailable && !(error instanceof MongoServerSelectionError);
      if (!passes || attempt === mostAttempts) throw error;
    }
  }
}

/** Returns the upgrade from the version of the URI's database to this program's version. Null for a new database. */
export async function readMongoUpgrade(uri: string): Promise<Upgrade | null> {
  const client = createClient(uri);
  try {
    const db = client.db(databaseOf(uri));
    await checkServer(db);
    return await upgradeOf(collectionsOf(db));
  } catch (error) {
    throw translated(error);
  } finally {
    await client.close();
  }
}

/**
 * Creates the client. Throws a one-sentence error for an invalid address. The driver's message in the sentence never repeats the address.
 */
function createClient(uri: string): MongoClient {
  const options = {
    appName,
    // Timeouts are short, so a caller soon gets an error and may retry: the client itself never gives up.
    serverSelectionTimeoutMS: 3000,
    connectTimeoutMS: 3000,
    socketTimeoutMS: 30_000,
    // Closes the connections that a burst opened.
    maxIdleTimeMS: 60_000,
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    // This program wrote the stored text. Checking for broken UTF-8 again takes a fifth of the time to read a content.
    enableUtf8Validation: false,
  } as const;
  try {
    databaseOf(uri);
    return new MongoClient(uri, options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`SANDPOST_MONGODB_URI is not valid: ${why}`, { cause: error });
  }
}

/**
 * Throws unless the server runs MongoDB 6.0 (wire version 17) or newer, and is a replica set or the router of a sharded cluster, which
 * transactions need.
 */
async function checkServer(db: Db): Promise<void> {
  const { maxWireVersion, setName, msg } = await db.command({ hello: 1 });
  if (maxWireVersion < 17) throw new Error('MongoDB is too old: Sandpost requires 6.0 or later');
  if (setName === undefined && msg !== 'isdbgrid') {
    throw new Error('MongoDB must run as a replica set (one member is enough): start it with --replSet');
  }
}

/** Extracts the database's name from the URI, which may contain several hosts and is then not a valid URL. */
function databaseOf(uri: string): string {
  const [, name = 'sandpost'] = /^[a-z+]+:\/\/[^/]+\/([^?]+)/.exec(uri) ?? [];
  return decodeURIComponent(name);
}

function contextOf(client: MongoClient, db: Db, onRetry: () => void): Context {
  const collections = collectionsOf(db);
  const parts = {
    client,
    db,
    collections,
    ids: createIdSource(collections),
    caughtUp: createCaughtUp(client, () => ping(collections)),
    withTeamLock: createTeamLocks(client, collections, onRetry),
    cachedRead: createReadCache(client, collections),
    bodies: createBucket<ContentNote>(db, 'bodies'),
    largeContents: createBucket(db, 'largeContents'),
  };
  return { ...parts, orphanBodies: createOrphanBodies(parts) };
}

function storeOn(context: Context, installation: string, examining: Examinations): Store {
  const { client, collections } = context;
  const roles = createRoles(context);
  const { holderOf, ...apiKeys } = createApiKeys(context, roles);
  const small = openSmallPorts(context);
  const payers = new Payers((team, page) => small.rows.list('members', { team }, page));
  const reads = {
    mailboxes: { ...small.mailboxes, ...guarded(cachedMailboxes(context)) },
    messages: guarded(createMessages(context)),
    apiKeys: { ...small.apiKeys, ...guarded(apiKeys) },
    sessions: { ...small.sessions, ...guarded(createSessions(context, { holderOf })) },
    teams: { ...small.teams, ...guarded(roles) },
  };
  return {
    installation,
    ...small,
    ...reads,
    payers,
    reader: () => createReader(reads),
    moves: guarded(createMoves(context)),
    accounts: { ...small.accounts, ...guarded(captureFinder(context)) },
    deliveries: withGroupCommit(guarded(createDeliveries(context)), groupingBy(examining, payers)),
    journal: guarded(createJournal(context)),
    rows: { ...small.rows, ...guarded(createRows(context)) },
    tags: guarded(createTagCounts(context)),
    leases: guarded(createLeases(context)),
    archive: guarded(createArchive(context)),
    ...guarded({
      upkeep: createUpkeep(context),
      size: async () => null,
      ping: () => ping(collections),
      close: () => client.close(),
    }),
  };
}

async function ping({ meta }: Collections): Promise<void> {
  const written = { $currentDate: { at: true } } as const;
  await meta.updateOne({ _id: 'ping' }, written, { upsert: true, timeoutMS: 3000 });
}

/** Connection of the driver, with the members that are used here. All of these are private to the driver. */
type DriverConnection = {
  /** Error that ended the connection. */
  error: Error | null;
  writeCommand(command: unknown, options: unknown): Promise<void>;
  once(event: 'close', listener: () => void): void;
  off(event: 'close', listener: () => void): void;
};

const require = createRequire(import.meta.url);
const {
  Connection,
}: { Connection: { prototype: DriverConnection } } = require('mongodb/lib/cmap/connection');
const write = Connection.prototype.writeCommand;

// The driver (7.8, 7.9) waits for `drain` if a write returns false, but a destroyed socket never emits it. A command sent between the end
// of its socket and the event `close` waited forever, as did every caller that shared its read.
Connection.prototype.writeCommand = async function (command, options) {
  const closed = Promise.withResolvers<never>();
  const onClose = () => closed.reject(this.error ?? new Error('the connection to MongoDB closed'));
  this.once('close', onClose);
  try {
    await Promise.race([write.call(this, command, options), closed.promise]);
  } finally {
    this.off('close', onClose);
  }
};

function createLeases({ collections: { leases } }: Context): LeaseStore {
  return {
    async claim(name, holder, ttlMs, now) {
      const expiresAt = new Date(now.getTime() + ttlMs);
      try {
        await leases.updateOne(
          { _id: name, $or: [{ holder }, { expiresAt: { $lte: now } }] },
          { $set: { holder, expiresAt } },
          { upsert: true },
        );
        return true;
      } catch (error) {
        // Another holder has the lease: nothing matched, so the upsert tried to insert a second row.
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
  };
}
