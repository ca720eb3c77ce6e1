import type { ClientSession } from 'mongodb';
import type { Collections } from '#adapters/stores/mongo/schema/rows.ts';
import type { Counts } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import type { RuleCounts } from '#core/rules/mail-rule.ts';

/** Source of ids that no process has received before. */
export type IdSource = {
  /** Returns `count` new ids in ascending order. */
  take(kind: string, count: number): Promise<Id[]>;
};

/**
 * Number of ids reserved from the database at a time. Message ids are kept in stock because each reservation waits for MongoDB's journal.
 * A process that ends loses the rest of its stock. Reservations must be durable, because otherwise an id could be assigned twice after a
 * failover.
 */
const stockOf = new Map([
  ['auditLog', 16],
  ['refusals', 128],
  ['messages', 1024],
]);

export function createIdSource({ counters }: Collections): IdSource {
  const stocks = new Map<string, Id[]>();
  const waiting = new Map<string, Promise<unknown>>();

  const draw = async (kind: string, count: number): Promise<Id[]> => {
    const stock = stocks.get(kind) ?? [];
    stocks.set(kind, stock);
    if (stock.length < count) {
      const step = Math.max(count - stock.length, stockOf.get(kind) ?? 1);
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

/** Adds to the counts of rules, in a delivery's transaction. */
export async function countRuled(
  { mailRules }: Pick<Collections, 'mailRules'>,
  session: ClientSession,
  counts: Map<Id, RuleCounts>,
): Promise<void> {
  if (counts.size === 0) return;
  await mailRules.bulkWrite(
    [...counts].map(([_id, added]) => ({ updateOne: { filter: { _id }, update: { $inc: added } } })),
    { session },
  );
}

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
      // Freeing space removes a full account's mark.
      const unmarked = bytes > 0 ? {} : { $unset: { fullAt: '' } as const };
      return { updateOne: { filter: { _id }, update: { $inc: { usedBytes: bytes }, ...unmarked } } };
    }),
    { session },
  );
}
