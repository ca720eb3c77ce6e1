import type { ClientSession, Document, Filter, Hint } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { listHint } from '#adapters/stores/mongo/schema/indexes.ts';
import { type MailboxRow, type MessageRow, never, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { Visibility } from '#core/messages/message.ts';
import { type MessageFilter, showsCopies } from '#core/messages/message-filter.ts';
import { marksFor } from './message-rows.ts';

/**
 * Rows of a list before its text filters apply, and the index in whose order the rows are read. `total` is the number of rows from the
 * mailboxes' counters, or null if the rows must be counted.
 */
export type Scope = { rows: Filter<MessageRow>; hint: Hint; total: number | null };

/** Earliest times of any message in the store; `never` if there is no message. */
export type Earliest = Record<'receivedAt' | 'dueAt', Date>;

/** Facts that a list needs before it reads rows. `cursor`: the owner's newest event number. `scope`: null if there is no mailbox. */
export type ListFacts = { cursor: number; scope: Scope | null; earliest: Earliest };

type Found =
  | { part: 'head'; number: number }
  | { part: 'mailbox'; _id: Id; total: number; sentCopies: number }
  | { part: 'all'; total: number; sentCopies: number }
  | { part: 'hidden'; _id: Id }
  | ({ part: 'earliest' } & Partial<Earliest>);

type Part<P extends Found['part']> = Extract<Found, { part: P }>;

/** Read concern of each read in a snapshot session, which differs from the client's default. */
export const snapshot = { readConcern: { level: 'snapshot' } } as const;

/** Reads all facts in one query: each further query would cost as much as a page of rows. */
export async function readListFacts(
  { collections: { teamVersions, mailboxes, messages } }: Context,
  owner: Id,
  filter: MessageFilter,
  session: ClientSession,
): Promise<ListFacts> {
  const beside = (part: Found['part'], coll: string, stages: Document[]) => ({
    $unionWith: { coll, pipeline: [...stages, { $addFields: { part } }] },
  });
  const earliest = (time: keyof Earliest) =>
    beside('earliest', messages.collectionName, [
      // Excludes `never`, for which the index of due times has no entry.
      { $match: { [time]: { $lt: never } } },
      { $sort: { [time]: 1 } },
      { $limit: 1 },
      { $project: { _id: 0, [time]: 1 } },
    ]);
  const found = await teamVersions
    .aggregate<Found>(
      [
        { $match: { _id: owner } },
        { $project: { number: 1, part: 'head' } },
        ...mailboxParts(owner, filter).map(([part, stages]) =>
          beside(part, mailboxes.collectionName, stages),
        ),
        earliest('receivedAt'),
        earliest('dueAt'),
      ],
      { session, ...snapshot },
    )
    .toArray();
  const times = partsOf(found, 'earliest');
  const first = (time: keyof Earliest) => times.find((row) => row[time] !== undefined)?.[time] ?? never;
  return {
    cursor: partsOf(found, 'head')[0]?.number ?? 0,
    scope: scopeOf(owner, filter, found),
    earliest: { receivedAt: first('receivedAt'), dueAt: first('dueAt') },
  };
}

function partsOf<P extends Found['part']>(found: Found[], part: P): Part<P>[] {
  return found.filter((row): row is Part<P> => row.part === part);
}

function isEverywhere({ mailboxId, accountId, mailboxPath }: MessageFilter): boolean {
  return mailboxId === undefined && accountId === undefined && mailboxPath === undefined;
}

/**
 * Returns stages that read a filter's mailboxes. If the filter covers all mailboxes, of which there may be thousands, the stages only sum
 * their counters.
 */
function mailboxParts(owner: Id, filter: MessageFilter): [Found['part'], Document[]][] {
  const { mailboxId, accountId, mailboxPath } = filter;
  const wanted: Filter<MailboxRow> = { owner, ...notDeleted };
  if (isEverywhere(filter)) {
    // Mailboxes that are moving to another team have no owner. Their messages belong to one of the two teams.
    const hidden = {
      $or: [
        { owner, deleted: true },
        { owner: { $lt: 0 }, ...notDeleted },
      ],
    };
    const counters = { total: { $sum: '$total' }, sentCopies: { $sum: '$sentCopies' } };
    return [
      ['all', [{ $match: wanted }, { $group: { _id: null, ...counters } }]],
      ['hidden', [{ $match: hidden }, { $project: { _id: 1 } }]],
    ];
  }
  if (mailboxId !== undefined) wanted._id = mailboxId;
  if (accountId !== undefined) wanted.accountId = accountId;
  if (mailboxPath !== undefined) wanted.pathKey = pathKey(mailboxPath);
  return [['mailbox', [{ $match: wanted }, { $project: { total: 1, sentCopies: 1 } }]]];
}

/** Maximum parts of an index that MongoDB merges in index order. With more parts it sorts the rows. */
const mostMerged = 200;

/**
 * Returns a filter's rows. A list of some mailboxes merges their parts of an index. A list of all mailboxes, or of very many, uses an
 * index of the owner. A list of several mailboxes excludes copies in Sent, unless the filter names a path.
 */
function scopeOf(owner: Id, filter: MessageFilter, found: Found[]): Scope | null {
  const { mailboxId, after } = filter;
  const everywhere = isEverywhere(filter);
  const boxes = partsOf(found, everywhere ? 'all' : 'mailbox');
  if (!everywhere && boxes.length === 0) return null;
  const marks = marksFor(filter);
  const copiesToo = mailboxId !== undefined || showsCopies(filter);
  const counted = marks === null && after === undefined;
  const byOwner = everywhere || boxes.length * (marks?.length ?? 1) > mostMerged;
  const rows: Filter<MessageRow> = {
    ...(byOwner ? { owner } : {}),
    ...(everywhere
      ? withoutHidden(found)
      : { mailboxId: { $in: partsOf(found, 'mailbox').map(({ _id }) => _id) } }),
    ...(copiesToo ? {} : { sentCopy: false }),
    ...(marks === null ? {} : { marks: { $in: marks } }),
    ...(after === undefined ? {} : { number: { $gt: after } }),
  };
  const [plain, byMarks] = byOwner
    ? (['owner', 'ownerMarks'] as const)
    : (['mailbox', 'mailboxMarks'] as const);
  return {
    rows,
    hint: listHint[marks === null ? plain : byMarks],
    total: counted ? totalOf(boxes, copiesToo) : null,
  };
}

/** Excludes mailboxes that are moving to another team, or that are soft-deleted but still contain messages. */
function withoutHidden(found: Found[]): Filter<MessageRow> {
  const hidden = partsOf(found, 'hidden').map(({ _id }) => _id);
  return hidden.length === 0 ? {} : { mailboxId: { $nin: hidden } };
}

function totalOf(counters: { total: number; sentCopies: number }[], copiesToo: boolean): number {
  return counters.reduce((all, { total, sentCopies }) => all + total - (copiesToo ? 0 : sentCopies), 0);
}

/**
 * Expiration of a list. `expired` is the number of its expired rows that are not removed yet. `holds` checks whether that number is the
 * same at another time.
 */
export type Expiry = { expired: number; holds(visibility: Visibility): boolean };

/** Number of rows whose `receivedAt` or `dueAt` has passed, and the next such time of any message in the store. */
type Past = { count: number; next: Date };

/**
 * Counts a list's expired rows, which the mailboxes' counters still include, and finds when the first row will expire. Runs no
 * query if `earliest` shows that no message in the store has expired, which is almost always the case.
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

/** Checks whether no message expires between two times. `next` is the first expiration after `from`. */
function isBefore(next: Date, from: Date, later: Date): boolean {
  return later >= from && later < next;
}
