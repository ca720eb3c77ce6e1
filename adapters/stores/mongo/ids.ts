import type { Collections } from '#adapters/stores/mongo/schema/collections.ts';
import type { Id } from '#core/ids.ts';

export type IdKind =
  | 'teams'
  | 'invitations'
  | 'memberRules'
  | 'auditLog'
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
  auditLog: 16,
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
      stock.push(...Array.from({ length: step }, (_, index) => last - step + 1 + index));
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
