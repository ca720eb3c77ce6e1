import type { MongoClient } from 'mongodb';
import type { Bucket } from '#core/adapters/stores/mongo/bodies/bucket.ts';
import type { ContentNote } from '#core/adapters/stores/mongo/bodies/contents.ts';
import type { LooseBodies } from '#core/adapters/stores/mongo/bodies/loose-bodies.ts';
import type { Recall } from '#core/adapters/stores/mongo/cache/user-memory.ts';
import type { DeliveryMemory } from '#core/adapters/stores/mongo/delivery/delivery-memory.ts';
import type { TakeTurn } from '#core/adapters/stores/mongo/locking/transactions.ts';
import type { Collections } from '#core/adapters/stores/mongo/schema/collections.ts';
import type { IdSource } from './ids.ts';

/** What the parts of the store share. `bodies` holds raw messages, `largeContents` what is too long for their notes. */
export type Context = {
  client: MongoClient;
  collections: Collections;
  ids: IdSource;
  takeTurn: TakeTurn;
  recall: Recall;
  deliveryMemory: DeliveryMemory;
  bodies: Bucket<ContentNote>;
  largeContents: Bucket;
  looseBodies: LooseBodies;
};
