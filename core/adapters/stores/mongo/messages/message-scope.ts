import type { ClientSession, Document, Filter, Hint } from 'mongodb';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import { listHint } from '#core/adapters/stores/mongo/schema/indexes.ts';
import { type MailboxRow, type MessageRow, never } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import type { MessageFilter } from '#core/messages/message.ts';

/** Where a list looks: its rows, the index in whose order they are read, and how many there are by the counters. */
export type Scope = { rows: Filter<MessageRow>; hint: Hint; total: number };

/** The first times that any message of the store has; `never` without one. */
export type Earliest = Record<'receivedAt' | 'dueAt', Date>;

/** What a list has to know before it reads rows. `cursor`: the owner's newest event number. Without scope: no such mailbox. */
export type Ground = { cursor: number; scope: Scope | null; earliest: Earliest };

type Found =
  | { part: 'head'; number: number }
  | { part: 'mailbox'; _id: Id; total: number; sentCopies: number }
  | { part: 'all'; total: number; sentCopies: number }
  | { part: 'buried'; _id: Id }
  | ({ part: 'earliest' } & Partial<Earliest>);

type Part<P extends Found['part']> = Extract<Found, { part: P }>;

/** What reads in a session for snapshots must ask for, for the client's own default is another. */
export const snapshot = { readConcern: { level: 'snapshot' } } as const;

/** Reads it all in one query: each one more would cost as much as a page of rows. */
export async function readGround(
  { collections: { heads, mailboxes, messages } }: Context,
  owner: Id,
  filter: MessageFilter,
  session: ClientSession,
): Promise<Ground> {
  const beside = (part: Found['part'], coll: string, stages: Document[]) => ({
    $unionWith: { coll, pipeline: [...stages, { $addFields: { part } }] },
  });
  const earliest = (time: keyof Earliest) =>
    beside('earliest', messages.collectionName, [
      // The index of due times holds none without one.
      { $match: { [time]: { $lt: never } } },
      { $sort: { [time]: 1 } },
      { $limit: 1 },
      { $project: { _id: 0, [time]: 1 } },
    ]);
  const found = await heads
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

/** The living mailboxes that a filter means; of all, which may be thousands, the sum, and by name those that are buried. */
function mailboxParts(owner: Id, filter: MessageFilter): [Found['part'], Document[]][] {
  const { mailboxId, accountId, mailboxPath } = filter;
  const wanted: Filter<MailboxRow> = { owner, living: true };
  if (isEverywhere(filter)) {
    const counters = { total: { $sum: '$total' }, sentCopies: { $sum: '$sentCopies' } };
    return [
      ['all', [{ $match: wanted }, { $group: { _id: null, ...counters } }]],
      ['buried', [{ $match: { owner, living: false } }, { $project: { _id: 1 } }]],
    ];
  }
  if (mailboxId !== undefined) wanted._id = mailboxId;
  if (accountId !== undefined) wanted.accountId = accountId;
  if (mailboxPath !== undefined) wanted.pathKey = pathKey(mailboxPath);
  return [['mailbox', [{ $match: wanted }, { $project: { total: 1, sentCopies: 1 } }]]];
}

/** So many parts of an index are merged in its order; of more, MongoDB sorts the rows itself. */
const mostMerged = 200;

/**
 * Mailboxes have an index, whose parts are merged; a list over all of them, or over very many, runs on that of the owner.
 * What a send left in Sent is left out of a list over several, unless it asks for a path.
 */
function scopeOf(owner: Id, filter: MessageFilter, found: Found[]): Scope | null {
  if (isEverywhere(filter)) {
    const buried = partsOf(found, 'buried').map(({ _id }) => _id);
    const within = buried.length === 0 ? {} : { mailboxId: { $nin: buried } };
    const total = totalOf(partsOf(found, 'all'), false);
    return { rows: { owner, sentCopy: false, ...within }, hint: listHint.owner, total };
  }
  const { mailboxId, mailboxPath } = filter;
  const copiesToo = mailboxId !== undefined || mailboxPath !== undefined;
  const copies = copiesToo ? {} : { sentCopy: false };
  const boxes = partsOf(found, 'mailbox');
  if (boxes.length === 0) return null;
  const total = totalOf(boxes, copiesToo);
  const within = { mailboxId: { $in: boxes.map(({ _id }) => _id) }, ...copies };
  return boxes.length <= mostMerged
    ? { rows: within, hint: listHint.mailbox, total }
    : { rows: { owner, ...within }, hint: listHint.owner, total };
}

function totalOf(counters: { total: number; sentCopies: number }[], copiesToo: boolean): number {
  return counters.reduce((all, { total, sentCopies }) => all + total - (copiesToo ? 0 : sentCopies), 0);
}
