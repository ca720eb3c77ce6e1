import { portionsOf } from '#adapters/stores/group-commit.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import type { JournalRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Committed, Journal, MailEvent, NewEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

const shown = { projection: { _id: 0, owner: 0 } } as const;

export function createJournal({
  collections: { teamVersions, journal, messages },
  caughtUp,
}: Context): Journal {
  return {
    // Waits until the primary has caught up, because a number below one already seen would make readers believe that events were lost.
    async heads(teams) {
      await caughtUp();
      const rows = await teamVersions.find({ _id: { $in: teams } }).toArray();
      const numbers = new Map(rows.map(({ _id, number }) => [_id, number]));
      return new Map(teams.map((team) => [team, numbers.get(team) ?? 0]));
    },
    read: (owner, after, limit) =>
      journal
        .find<MailEvent>({ owner, number: { $gt: after } }, shown)
        .sort({ number: 1 })
        .limit(limit)
        .toArray(),
    latest: (owner, { types, accountId, mailboxId }) =>
      journal.findOne<MailEvent>(
        {
          owner,
          type: { $in: types },
          ...(accountId === null ? {} : { accountId }),
          ...(mailboxId === null ? {} : { mailboxId }),
        },
        { ...shown, sort: { number: -1 } },
      ),
    async messageNumber(owner, messageId) {
      const row = await messages.findOne({ _id: messageId, owner }, { projection: { number: 1 } });
      if (row !== null) return row.number;
      const event = await journal.findOne({ messageId, type: 'message.deleted', owner });
      return event?.messageNumber ?? null;
    },
  };
}

/** Appends events of `owner`, numbered by `numbered`, as the last statement of a transaction. */
export async function appendEvents(
  { collections: { teamVersions, journal } }: Context,
  { session }: TeamLock,
  owner: Id,
  events: MailEvent[],
): Promise<void> {
  const newest = events.at(-1);
  if (newest === undefined) return;
  await teamVersions.updateOne({ _id: owner }, { $set: { number: newest.number } }, { session });
  await journal.insertMany(rowsOf(owner, events), { session });
}

/** Appends events whose numbers were reserved at the start of the transaction. */
export async function insertEvents(
  { collections: { journal } }: Context,
  { session }: TeamLock,
  commits: Committed<unknown>[],
): Promise<void> {
  const rows = commits.flatMap(({ owner, events }) => rowsOf(owner, events));
  for (const some of portionsOf(rows, () => 0)) await journal.insertMany(some, { session });
}

/** Lowers teams' newest numbers if some of the reserved numbers were not used. */
export async function returnNumbers(
  { collections: { teamVersions } }: Context,
  { session, newest: before }: TeamLock,
  reserved: Map<Id, number>,
  newest: Map<Id, number>,
): Promise<void> {
  const unused = [...newest].filter(
    ([owner, number]) => number < (before.get(owner) ?? 0) + (reserved.get(owner) ?? 0),
  );
  if (unused.length === 0) return;
  const writes = unused.map(([_id, number]) => ({
    updateOne: { filter: { _id }, update: { $set: { number } } },
  }));
  await teamVersions.bulkWrite(writes, { session });
}

function rowsOf(owner: Id, events: MailEvent[]): JournalRow[] {
  return events.map((event) => ({ ...event, owner }));
}

export function numbered(lock: TeamLock, owner: Id, events: NewEvent[]): MailEvent[] {
  const head = lock.newest.get(owner) ?? 0;
  return events.map((event, index) => ({ ...event, number: head + 1 + index }));
}
