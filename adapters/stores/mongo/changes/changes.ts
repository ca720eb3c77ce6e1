import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { isDuplicate } from '#adapters/stores/mongo/errors.ts';
import { mongoQueries } from '#adapters/stores/mongo/rows/custom-queries.ts';
import { rowDriver } from '#adapters/stores/mongo/rows/driver.ts';
import { readFacts, takeNewIds } from '#adapters/stores/rows/facts.ts';
import { runAsync } from '#adapters/stores/rows/steps.ts';
import { writeRows } from '#adapters/stores/rows/writes.ts';
import type { Change, Plan, RowStore, Scope, Write } from '#core/change.ts';
import { Duplicate, StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';

/** Id that no team has. Registering or moving a domain name locks it, so two teams cannot get related names at the same time. */
export const allNames = 0;

/**
 * Plans and writes changes in transactions that lock the team and the user. If the scope of a key's change names no team, locks the key's
 * team, because removing the key also locks it. A change that needs related names locks all names.
 */
export function createRows(context: Context): Pick<RowStore, 'change'> {
  const { db, collections, withTeamLock } = context;
  const { apiKeys, members, teamVersions } = collections;
  /** Counts a change for all of a user's teams, for the caches of keys and roles. */
  const countChanges = async (user: Id, locked: Id[], session: ClientSession): Promise<void> => {
    const rows = await members.find({ user }, { session, projection: { team: 1 } }).toArray();
    const others = rows.map(({ team }) => team).filter((team) => !locked.includes(team));
    const counted = { $inc: { version: 1, changes: 1 } };
    await teamVersions.updateMany({ _id: { $in: others } }, counted, { session });
  };
  const teamOf = async ({ team, key }: Scope): Promise<Id | undefined> => {
    if (team !== undefined || key === undefined) return team;
    return (await apiKeys.findOne({ _id: key }, { projection: { owner: 1 } }))?.owner;
  };
  const inTransaction = async <Args extends Scope, Result>(
    { needs, plan: decide }: Change<Args, Result>,
    args: Args,
  ): Promise<Result> => {
    const fresh = await runAsync(takeNewIds(needs), rowDriver(db, mongoQueries(context)));
    const names = needs.includes('related') ? allNames : undefined;
    const locked = [names, await teamOf(args), args.user, fresh.newTeam].filter((id) => id !== undefined);
    const planned: Plan<Result>[] = [];
    await withTeamLock(locked, async ({ session }) => {
      const run = rowDriver(db, mongoQueries(context, session), session);
      const plan = decide(await runAsync(readFacts(needs, args, fresh), run), args);
      planned.push(plan);
      if (args.user !== undefined && plan.writes.some((one) => reachesBeyond(one, locked)))
        await countChanges(args.user, locked, session);
      await runAsync(writeRows(plan.writes), run);
      // Returns false if there is nothing to write, which aborts the transaction.
      return plan.writes.length > 0;
    });
    const [plan] = planned.slice(-1);
    if (plan === undefined) throw new StoreUnavailable('the change was not planned');
    return plan.result;
  };
  return {
    change: (change, args) =>
      inTransaction(change, args).catch((error) => {
        throw isDuplicate(error)
          ? new Duplicate('a value that must be unique is already in use', { cause: error })
          : error;
      }),
  };
}

/** Checks whether a write changes keys or roles of a team that is not locked. */
function reachesBeyond(write: Write, locked: Id[]): boolean {
  const isFar = (team: Id | undefined) => team === undefined || !locked.includes(team);
  switch (write.do) {
    case 'set-user':
      return write.set.disabledAt !== undefined;
    case 'put-member':
      return isFar(write.team);
    case 'remove-members':
    case 'end-keys':
      return isFar(write.where.team);
    default:
      return false;
  }
}
