import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type Collection, MongoError } from 'mongodb';
import type { UserVersionRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';

/**
 * Rows of locked users. `numbers` are their newest event numbers before the transaction. `versions` and `changes` count the
 * transaction already.
 */
export type Versions = { numbers: Map<Id, number>; versions: Map<Id, number>; changes: Map<Id, number> };

/**
 * Options of a lock. `numbers`: event numbers to reserve, by user. `delivers`: mail is delivered, and nothing else changes.
 */
export type VersionsWanted = { numbers: Map<Id, number>; delivers: boolean };

/** Error of a lock: another process has locked a user. */
export class LockTaken extends Error {}

/**
 * Locks users by writing to their version rows, as the first statement of a transaction, and reserves event numbers.
 * `owners` are in ascending order. Rows are written even where no number is wanted, because a write that changes nothing
 * conflicts with nothing. Throws LockTaken.
 */
export async function lockVersions(
  userVersions: Collection<UserVersionRow>,
  session: ClientSession,
  owners: Id[],
  wanted: VersionsWanted,
): Promise<Versions> {
  try {
    const rows = await written(userVersions, session, owners, wanted);
    return {
      numbers: new Map(rows.map(({ _id, number }) => [_id, number - (wanted.numbers.get(_id) ?? 0)])),
      versions: new Map(rows.map(({ _id, version }) => [_id, version])),
      changes: new Map(rows.map(({ _id, changes }) => [_id, changes])),
    };
  } catch (error) {
    const writeConflict = 112;
    throw error instanceof MongoError && error.code === writeConflict ? new LockTaken() : error;
  }
}

/** Time between two looks at a version, ms. */
const lookEveryMs = 4;

/**
 * Resolves when another transaction of one of the users has been committed since `versions`, or at the first look after
 * `withinMs`, or when the server is away.
 */
export async function untilLocked(
  userVersions: Collection<UserVersionRow>,
  versions: Map<Id, number>,
  withinMs: number,
): Promise<void> {
  const users = { _id: { $in: [...versions.keys()] } };
  const latest = { readConcern: { level: 'local' }, projection: { version: 1 } } as const;
  const until = performance.now() + withinMs;
  let changed = false;
  while (!changed && performance.now() < until) {
    await pause(lookEveryMs);
    const rows = await userVersions
      .find(users, latest)
      .toArray()
      .catch(() => null);
    changed = rows === null || rows.some(({ _id, version }) => version !== versions.get(_id));
  }
}

async function written(
  userVersions: Collection<UserVersionRow>,
  session: ClientSession,
  owners: Id[],
  { numbers, delivers }: VersionsWanted,
): Promise<UserVersionRow[]> {
  const update = (owner: Id) => ({
    $inc: { version: 1, changes: delivers ? 0 : 1, number: numbers.get(owner) ?? 0 },
    $setOnInsert: { pruned: 0 },
  });
  const [first, ...others] = owners;
  if (first !== undefined && others.length === 0) {
    const options = { session, upsert: true, returnDocument: 'after' } as const;
    const row = await userVersions.findOneAndUpdate({ _id: first }, update(first), options);
    return row === null ? [] : [row];
  }
  await userVersions.bulkWrite(
    owners.map((_id) => ({ updateOne: { filter: { _id }, update: update(_id), upsert: true } })),
    { session },
  );
  return userVersions.find({ _id: { $in: owners } }, { session }).toArray();
}

/** Counts a delivering transaction as a change of these users, for the caches of accounts. */
export async function countChange(
  userVersions: Collection<UserVersionRow>,
  session: ClientSession,
  { changes }: Pick<Versions, 'changes'>,
  owners: Id[],
): Promise<void> {
  await userVersions.updateMany({ _id: { $in: owners } }, { $inc: { changes: 1 } }, { session });
  for (const owner of owners) changes.set(owner, (changes.get(owner) ?? 0) + 1);
}
