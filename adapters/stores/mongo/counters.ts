import type { ClientSession, Collection } from 'mongodb';
import { type DomainRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Collections } from '#adapters/stores/mongo/schema/schema.ts';
import type { Counts } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';

export type IdKind =
  | 'teams'
  | 'invitations'
  | 'memberRules'
  | 'savedSearches'
  | 'mailRules'
  | 'failures'
  | 'auditLog'
  | 'refusals'
  | 'apiKeys'
  | 'domains'
  | 'accounts'
  | 'mailboxes'
  | 'messages';

/** Source of ids that no process was ever given before. */
export type IdSource = {
  /** Returns `count` new ids in ascending order. */
  take(kind: IdKind, count: number): Promise<Id[]>;
};

/**
 * Number of ids that are taken from the database at a time. Message ids are taken in stock, because each taking waits for
 * the journal of MongoDB. A process that ends loses the rest of its stock. A taking is durable: otherwise an id could be
 * given twice after a failover.
 */
const stockOf: Record<IdKind, number> = {
  teams: 1,
  invitations: 1,
  memberRules: 1,
  savedSearches: 1,
  mailRules: 1,
  failures: 1,
  auditLog: 16,
  refusals: 128,
  apiKeys: 1,
  domains: 1,
  accounts: 1,
  mailboxes: 1,
  messages: 1024,
};

export function createIdSource({ counters }: Collections): IdSource {
  const stocks = new Map<IdKind, Id[]>();
  const waiting = new Map<IdKind, Promise<unknown>>();

  const draw = async (kind: IdKind, count: number): Promise<Id[]> => {
    const stock = stocks.get(kind) ?? [];
    stocks.set(kind, stock);
    if (stock.length < count) {
      const step = Math.max(count - stock.length, stockOf[kind]);
      const counter = await counters.findOneAndUpdate(
        { _id: kind },
        { $inc: { last: step } },
        { upsert: true, returnDocument: 'after' },
      );
      const last = counter?.last ?? step;
      for (let id = last - step + 1; id <= last; id += 1) stock.push(id);
    }
    return stock.splice(0, count);
  };

  return {
    take(kind, count) {
      const turn = (waiting.get(kind) ?? Promise.resolve()).then(() => draw(kind, count));
      waiting.set(
        kind,
        turn.catch(() => {}),
      );
      return turn;
    },
  };
}

/** Adds counts to mailboxes and bytes to accounts. */
export async function changeCounts(
  { accounts, mailboxes }: Pick<Collections, 'accounts' | 'mailboxes'>,
  session: ClientSession,
  counts: Map<Id, Counts>,
  charges: { id: Id; bytes: number }[],
): Promise<void> {
  if (counts.size === 0) return;
  await mailboxes.bulkWrite(
    [...counts].map(([_id, own]) => ({ updateOne: { filter: { _id }, update: { $inc: own } } })),
    { session },
  );
  if (charges.length === 0) return;
  await accounts.bulkWrite(
    charges.map(({ id: _id, bytes }) => {
      // Room that is made ends the mark of a full account.
      const unmarked = bytes > 0 ? {} : { $unset: { fullAt: '' } as const };
      return { updateOne: { filter: { _id }, update: { $inc: { usedBytes: bytes }, ...unmarked } } };
    }),
    { session },
  );
}

/**
 * Condition for the domains or accounts of a team for its quotas. Those on their way to it count, or several moves at a time
 * would exceed the quota. They have minus the id of the domain as their owner.
 */
export async function countedFor(
  domains: Collection<DomainRow>,
  team: Id,
  session: ClientSession,
): Promise<{ owner: { $in: Id[] }; deleted: false }> {
  const coming = await domains
    .find({ owner: { $lt: 0 }, 'move.to': team, ...notDeleted }, { session, projection: { _id: 1 } })
    .toArray();
  return { owner: { $in: [team, ...coming.map(({ _id }) => -_id)] }, ...notDeleted };
}
