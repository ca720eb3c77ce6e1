import type { ClientSession, Filter } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { type MessageRow, never } from '#adapters/stores/mongo/schema/rows.ts';
import type { Visibility } from '#core/messages/message.ts';
import { type Earliest, snapshot } from './message-scope.ts';

/**
 * Expiry of a list. `expired` is the number of its expired rows that are not removed yet. `holds` tells whether that number
 * is the same at another time.
 */
export type Expiry = { expired: number; holds(visibility: Visibility): boolean };

/** Number of rows whose `receivedAt` or `dueAt` has passed, and the next such time of any message of the store. */
type Past = { count: number; next: Date };

/**
 * Counts the expired rows of a list, which the counters of mailboxes still include. Runs no query if `earliest` shows that
 * no message of the store has expired, which is nearly always so, and when the first one will.
 */
export async function expiryOf(
  context: Context,
  session: ClientSession,
  rows: Filter<MessageRow>,
  earliest: Earliest,
  visibility: Visibility,
): Promise<Expiry> {
  const { now, receivedAfter } = visibility;
  const past = (time: keyof Earliest, until: Date, among: Filter<MessageRow>) =>
    earliest[time] > until
      ? { count: 0, next: earliest[time] }
      : pastOf(context, session, among, time, until);
  const [old, due] = await Promise.all([
    past('receivedAt', receivedAfter, rows),
    past('dueAt', now, { ...rows, receivedAt: { $gt: receivedAfter } }),
  ]);
  return {
    expired: old.count + due.count,
    holds: (later) =>
      isBefore(old.next, receivedAfter, later.receivedAfter) && isBefore(due.next, now, later.now),
  };
}

async function pastOf(
  { collections: { messages } }: Context,
  session: ClientSession,
  rows: Filter<MessageRow>,
  time: keyof Earliest,
  until: Date,
): Promise<Past> {
  const options = { session, ...snapshot, hint: { [time]: 1 } };
  const ahead: Filter<MessageRow> = { [time]: { $gt: until, $lt: never } };
  const [count, next] = await Promise.all([
    messages.countDocuments({ ...rows, $and: [{ [time]: { $lte: until } }] }, options),
    messages.findOne<Partial<Earliest>>(ahead, {
      ...options,
      sort: { [time]: 1 },
      projection: { _id: 0, [time]: 1 },
    }),
  ]);
  return { count, next: next?.[time] ?? never };
}

/** Checks whether no message expired between two instants. `next` is the first expiry after `from`. */
function isBefore(next: Date, from: Date, later: Date): boolean {
  return later >= from && later < next;
}
