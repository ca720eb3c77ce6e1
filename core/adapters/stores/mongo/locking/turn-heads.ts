import { type ClientSession, type Collection, MongoError } from 'mongodb';
import type { HeadRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';

/** Of each user the newest number as it was, and how many turns, and changes, there were, this one included. */
export type HeadsTaken = { numbers: Map<Id, number>; turns: Map<Id, number>; changes: Map<Id, number> };

/** `numbers` are set aside for events of users; `delivers`: mail comes, and nothing else changes. */
export type HeadsWanted = { numbers: Map<Id, number>; delivers: boolean };

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
  wanted: HeadsWanted,
): Promise<HeadsTaken> {
  try {
    const rows = await written(heads, session, owners, wanted);
    return {
      numbers: new Map(rows.map(({ _id, number }) => [_id, number - (wanted.numbers.get(_id) ?? 0)])),
      turns: new Map(rows.map(({ _id, turns }) => [_id, turns])),
      changes: new Map(rows.map(({ _id, changes }) => [_id, changes])),
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
  { numbers, delivers }: HeadsWanted,
): Promise<HeadRow[]> {
  const update = (owner: Id) => ({
    $inc: { turns: 1, changes: delivers ? 0 : 1, number: numbers.get(owner) ?? 0 },
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

/** Counts a turn that delivers as one that changes more, for these owners. */
export async function countChange(
  heads: Collection<HeadRow>,
  session: ClientSession,
  { changes }: Pick<HeadsTaken, 'changes'>,
  owners: Id[],
): Promise<void> {
  await heads.updateMany({ _id: { $in: owners } }, { $inc: { changes: 1 } }, { session });
  for (const owner of owners) changes.set(owner, (changes.get(owner) ?? 0) + 1);
}
