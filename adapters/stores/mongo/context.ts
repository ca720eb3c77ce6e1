import type { MongoClient } from 'mongodb';
import type { Bucket } from '#adapters/stores/mongo/bodies/bucket.ts';
import type { OrphanBodies } from '#adapters/stores/mongo/bodies/orphan-bodies.ts';
import type { CachedRead } from '#adapters/stores/mongo/cache/read-cache.ts';
import type { AccountCache } from '#adapters/stores/mongo/delivery/account-cache.ts';
import type { WithTeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import type { Collections } from '#adapters/stores/mongo/schema/collections.ts';
import type { ContentNote } from '#adapters/stores/mongo/schema/rows.ts';
import type { CaughtUp } from './caught-up.ts';
import type { IdSource } from './ids.ts';

/** Connection, collections and caches of the store. `bodies` stores raw messages, `largeContents` texts too long for a row. */
export type Context = {
  client: MongoClient;
  collections: Collections;
  ids: IdSource;
  caughtUp: CaughtUp;
  withTeamLock: WithTeamLock;
  cachedRead: CachedRead;
  accountCache: AccountCache;
  bodies: Bucket<ContentNote>;
  largeContents: Bucket;
  orphanBodies: OrphanBodies;
};
