import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type Collection, MongoError } from 'mongodb';
import type { TeamVersionRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';

/**
 * Rows of locked teams. `numbers` are their newest event numbers before the transaction. `versions` and `changes` count the
 * transaction already.
 */
export type Versions = { numbers: Map<Id, number>; versions: Map<Id, number>; changes: Map<Id, number> };

/**
 * Options of a lock. `numbers`: event numbers to reserve, by team. `delivers`: mail is delivered, and nothing else changes.
 */
export type VersionsWanted = { numbers: Map<Id, number>; delivers: boolean };

/** Error of a lock: another process has locked a team. */
export class LockTaken extends Error {}

/**
 * Locks teams by writing to their version rows, as the first statement of a transaction, and reserves event numbers.
 * `owners` are in ascending order. Rows are written even where no number is wanted, because a write that changes nothing
 * conflicts with nothing. Throws LockTaken.
 */
export async function lockVersions(
  teamVersions: Collection<TeamVersionRow>,
  session: ClientSession,
  owners: Id[],
  wanted: VersionsWanted,
): Promise<Versions> {
  try {
    const rows = await written(teamVersions, session, owners, wanted);
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
 * Resolves when another transaction of one of the teams has been committed since `versions`, or at the first look after
 * `withinMs`, or when the server is away.
 */
export async function untilLocked(
  teamVersions: Collection<TeamVersionRow>,
  versions: Map<Id, number>,
  withinMs: number,
): Promise<void> {
  const teams = { _id: { $in: [...versions.keys()] } };
  const latest = { readConcern: { level: 'local' }, projection: { version: 1 } } as const;
  const until = performance.now() + withinMs;
  let changed = false;
  while (!changed && performance.now() < until) {
    await pause(lookEveryMs);
    const rows = await teamVersions
      .find(teams, latest)
      .toArray()
      .catch(() => null);
    changed = rows === null || rows.some(({ _id, version }) => version !== versions.get(_id));
  }
}

async function written(
  teamVersions: Collection<TeamVersionRow>,
  session: ClientSession,
  owners: Id[],
  { numbers, delivers }: VersionsWanted,
): Promise<TeamVersionRow[]> {
  const update = (owner: Id) => ({
    $inc: { version: 1, changes: delivers ? 0 : 1, number: numbers.get(owner) ?? 0 },
    $setOnInsert: { pruned: 0 },
  });
  const [first, ...others] = owners;
  if (first !== undefined && others.length === 0) {
    const options = { session, upsert: true, returnDocument: 'after' } as const;
    const row = await teamVersions.findOneAndUpdate({ _id: first }, update(first), options);
    return row === null ? [] : [row];
  }
  await teamVersions.bulkWrite(
    owners.map((_id) => ({ updateOne: { filter: { _id }, update: update(_id), upsert: true } })),
    { session },
  );
  return teamVersions.find({ _id: { $in: owners } }, { session }).toArray();
}

/** Counts a delivering transaction as a change of these teams, for the caches of accounts. */
export async function countChange(
  teamVersions: Collection<TeamVersionRow>,
  session: ClientSession,
  { changes }: Pick<Versions, 'changes'>,
  owners: Id[],
): Promise<void> {
  await teamVersions.updateMany({ _id: { $in: owners } }, { $inc: { changes: 1 } }, { session });
  for (const owner of owners) changes.set(owner, (changes.get(owner) ?? 0) + 1);
}
