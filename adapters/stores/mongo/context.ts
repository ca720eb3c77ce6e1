import type { Db, MongoClient } from 'mongodb';
import type { Bucket } from '#adapters/stores/mongo/bodies/bodies.ts';
import type { OrphanBodies } from '#adapters/stores/mongo/bodies/orphan-bodies.ts';
import type { CachedRead } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { WithTeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import type { Collections, ContentNote } from '#adapters/stores/mongo/schema/rows.ts';
import type { IdSource } from './counters.ts';

/** Connection, collections and caches of the store. `bodies` stores raw messages, and `largeContents` stores text too long for a row. */
export type Context = {
  client: MongoClient;
  db: Db;
  collections: Collections;
  ids: IdSource;
  caughtUp: CaughtUp;
  withTeamLock: WithTeamLock;
  cachedRead: CachedRead;
  bodies: Bucket<ContentNote>;
  largeContents: Bucket;
  orphanBodies: OrphanBodies;
};

/** Resolves when the primary shows everything acknowledged before the call. Throws if the primary cannot be written to. */
export type CaughtUp = () => Promise<void>;

/**
 * Watches for new primaries. A new primary contains everything acknowledged, but does not show all of it to majority reads until its own
 * first write is durable. `write` performs such a write, once after each topology change.
 */
export function createCaughtUp(client: Pick<MongoClient, 'on'>, write: () => Promise<unknown>): CaughtUp {
  let written: Promise<unknown> | null = null;
  client.on('topologyDescriptionChanged', () => {
    written = null;
  });
  return async () => {
    if (written === null) {
      const own = write();
      written = own;
      own.catch(() => {
        if (written === own) written = null;
      });
    }
    await written;
  };
}
