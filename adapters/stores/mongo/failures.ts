import type { ClientSession } from 'mongodb';
import type { Facts } from '#core/change.ts';
import type { Failure, FailureRule, FailureStore } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';
import { pageOf } from './pages.ts';
import { type FailureRow, notDeleted } from './schema/rows.ts';

type Collections = Pick<Context, 'collections'>;

const toFailure = ({ _id: id, team: _team, key: _key, ...row }: FailureRow): Failure => ({ id, ...row });

/** Fields that the rules alone do not have. */
const counted = { hits: 0, attempts: 0, window: 0, team: 0, key: 0 } as const;

export function createFailures({ collections: { failures, teamVersions } }: Collections): FailureStore {
  return {
    async read(team) {
      const row = await teamVersions.findOne({ _id: team }, { projection: { failures: 1 } });
      if (!row?.failures) return { version: 0, rules: [] };
      const rules = failures.find({ team, key: '' }, { projection: counted }).sort({ _id: 1 });
      const found = await rules.map(({ _id: id, ...rule }) => ({ id, ...rule }) as FailureRule).toArray();
      return { version: row.failures, rules: found };
    },
    list(team, { now, id }, page) {
      const live = { team, key: '', ...(id !== undefined && { _id: id }), expiresAt: { $gt: now } };
      return pageOf(failures, live, page, (rows) => rows.map(toFailure));
    },
  };
}

/** Finds a failure of a team by its id, or by its key. */
export async function findFailure(
  { collections: { failures } }: Collections,
  { team, by }: { team: Id; by: Id | string },
  session: ClientSession,
): Promise<Failure | null> {
  const named = typeof by === 'number' ? { _id: by, key: '' } : { key: by };
  const row = await failures.findOne({ team, ...named }, { session });
  return row && toFailure(row);
}

export async function countFailures(
  { collections: { failures } }: Collections,
  { team, now }: { team: Id; now: Date },
  session: ClientSession,
): Promise<Facts['failures']> {
  const live = failures.find({ team, expiresAt: { $gt: now } }, { session, projection: { key: 1 } });
  const rows = await live.sort({ _id: 1 }).toArray();
  const counts = rows.filter(({ key }) => key !== '');
  return {
    rules: rows.length - counts.length,
    counts: counts.length,
    oldestCount: counts[0]?._id ?? null,
  };
}

/**
 * Reads the version of a team's failure rules, as each of its domains has it. The look-up of a recipient reads it there: with a
 * `$lookup` of the team it took mongod 1.6 times the time.
 */
export async function failuresOf(
  { collections: { teamVersions } }: Collections,
  team: Id,
  session: ClientSession,
): Promise<{ failures: number }> {
  const row = await teamVersions.findOne({ _id: team }, { session, projection: { failures: 1 } });
  return { failures: row?.failures ?? 0 };
}

export type FailureWrites = {
  put(team: Id, key: string, failure: Failure, session: ClientSession): Promise<unknown>;
  remove(
    team: Id,
    which: { ids?: Id[] | undefined; over?: Date | undefined },
    session: ClientSession,
  ): Promise<unknown>;
  renew(team: Id, session: ClientSession): Promise<unknown>;
};

/** Writes failures in transactions that have locked their team. */
export function createFailureWrites({ collections }: Collections): FailureWrites {
  const { failures, teamVersions, domains } = collections;
  return {
    put: (team, key, { id: _id, ...failure }, session) =>
      failures.replaceOne({ _id }, { ...failure, team, key }, { session, upsert: true }),
    remove(team, { ids, over }, session) {
      const which = { ...(ids && { _id: { $in: ids } }), ...(over && { expiresAt: { $lte: over } }) };
      return failures.deleteMany({ team, ...which }, { session });
    },
    async renew(team, session) {
      await teamVersions.updateOne({ _id: team }, { $inc: { failures: 1 } }, { session });
      await domains.updateMany(
        { owner: team, ...notDeleted },
        { $set: await failuresOf({ collections }, team, session) },
        { session },
      );
    },
  };
}
