import { type ClientSession, type Collection, MongoError } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { HeadRow } from './rows.ts';

/** Of each user the newest number as it was, and how many turns there were, this one included. */
export type HeadsTaken = { numbers: Map<Id, number>; turns: Map<Id, number> };

/** Another process has the turn of a user. */
export class Busy extends Error {}

/**
 * Writes to the heads of `owners`, which come in ascending order, as the first thing of a transaction, and sets numbers
 * aside. Written even where no number is wanted: a write that changes nothing conflicts with nothing. Throws Busy.
 */
export async function takeHeads(
  heads: Collection<HeadRow>,
  session: ClientSession,
  owners: Id[],
  wanted: Map<Id, number>,
): Promise<HeadsTaken> {
  try {
    const rows = await written(heads, session, owners, wanted);
    return {
      numbers: new Map(rows.map(({ _id, number }) => [_id, number - (wanted.get(_id) ?? 0)])),
      turns: new Map(rows.map(({ _id, turns }) => [_id, turns])),
    };
  } catch (error) {
    const writeConflict = 112;
    throw error instanceof MongoError && error.code === writeConflict ? new Busy() : error;
  }
}

async function written(
  heads: Collection<HeadRow>,
  session: ClientSession,
  owners: Id[],
  wanted: Map<Id, number>,
): Promise<HeadRow[]> {
  const update = (owner: Id) => ({
    $inc: { turns: 1, number: wanted.get(owner) ?? 0 },
    $setOnInsert: { pruned: 0 },
  });
  const [first, ...others] = owners;
  if (first !== undefined && others.length === 0) {
    const options = { session, upsert: true, returnDocument: 'after' } as const;
    const head = await heads.findOneAndUpdate({ _id: first }, update(first), options);
    return head === null ? [] : [head];
  }
  await heads.bulkWrite(
    owners.map((_id) => ({ updateOne: { filter: { _id }, update: update(_id), upsert: true } })),
    { session },
  );
  return heads.find({ _id: { $in: owners } }, { session }).toArray();
}
