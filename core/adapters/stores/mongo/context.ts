import type { MongoClient } from 'mongodb';
import type { Bucket } from '#core/adapters/stores/mongo/bodies/bucket.ts';
import type { OrphanBodies } from '#core/adapters/stores/mongo/bodies/orphan-bodies.ts';
import type { CachedRead } from '#core/adapters/stores/mongo/cache/read-cache.ts';
import type { AccountCache } from '#core/adapters/stores/mongo/delivery/account-cache.ts';
import type { WithTeamLock } from '#core/adapters/stores/mongo/locking/team-lock.ts';
import type { Collections } from '#core/adapters/stores/mongo/schema/collections.ts';
import type { ContentNote } from '#core/adapters/stores/mongo/schema/rows.ts';
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
