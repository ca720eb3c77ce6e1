import type { MongoClient } from 'mongodb';
import type { Bucket } from './bucket.ts';
import type { Collections } from './collections.ts';
import type { ContentNote } from './contents.ts';
import type { DeliveryMemory } from './delivery-memory.ts';
import type { IdSource } from './ids.ts';
import type { LooseBodies } from './loose-bodies.ts';
import type { TakeTurn } from './transactions.ts';
import type { Recall } from './user-memory.ts';

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
