import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError } from 'mongodb';
import { isInterrupted } from '#core/adapters/stores/mongo/errors.ts';
import type { Collections } from '#core/adapters/stores/mongo/schema/collections.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { createAbandonedCheck } from './abandoned.ts';
import { commitDurably } from './commit.ts';
import { createCourtesy } from './courtesy.ts';
import { Busy, type HeadsTaken, takeHeads } from './turn-heads.ts';
import { createTurnQueue } from './turn-queue.ts';

/** A transaction that has some users to itself; `heads` are their newest event numbers as it began. */
export type Turn = { session: ClientSession; heads: Map<Id, number> } & Omit<HeadsTaken, 'numbers'>;

/** What the work of a turn went by was no longer so: it is done anew. */
export class Outdated extends Error {}

/**
 * `numbers` are set aside for events of users: their heads stand that much higher. `delivers`: mail comes, and nothing
 * else changes. `written` hears of the commit before any other turn of this process begins. `over`: the next turn may
 * begin.
 */
export type TurnOptions<T> = {
  numbers?: Map<Id, number>;
  delivers?: boolean;
  written?: (turn: Turn, result: T) => void;
  over?: (() => void) | undefined;
};

/**
 * Does `work` in one transaction that no other of the same users overlaps. It may run several times, so it changes
 * nothing but the database. Where it gives null or false, nothing is written. Resolves when what was written is durable.
 * Throws StoreUnavailable after 10 s.
 */
export type TakeTurn = <T>(
  owners: Iterable<Id>,
  work: (turn: Turn) => Promise<T>,
  options?: TurnOptions<T>,
) => Promise<T>;

/** Waiting and all attempts together. */
const patienceMs = 10_000;

/** A turn that is not had for so long may be held by a process that is no more. */
const suspiciousMs = 1000;

/**
 * Within this process turns of a user queue up. Between processes they are taken by writing to the users' heads first,
 * in ascending order: whoever comes second fails at once, before anything else is sent, and tries again soon. `onRetry`
 * hears of that.
 */
export function createTurns(client: MongoClient, { heads }: Collections, onRetry: () => void): TakeTurn {
  const queue = createTurnQueue();
  const endAbandoned = createAbandonedCheck(client);
  const courtesy = createCourtesy();

  return (owners, work, options = {}) => {
    const { numbers = new Map(), delivers = false, written = () => {}, over = () => {} } = options;
    const ascending = [...new Set(owners)].sort((a, b) => a - b);
    const deadline = performance.now() + patienceMs;
    const attempt = async (session: ClientSession, end: () => void) => {
      const begun = performance.now();
      const wtimeoutMS = Math.max(1, Math.ceil(deadline - begun));
      session.startTransaction({
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority', journal: true, wtimeoutMS },
      });
      const { numbers: newest, ...taken } = await takeHeads(heads, session, ascending, { numbers, delivers });
      const turn = { session, heads: newest, ...taken };
      const result = await work(turn);
      if (result === null || result === false) {
        await session.abortTransaction();
        end();
        return { result };
      }
      await commitDurably(session, deadline);
      written(turn, result);
      const giveMs = courtesy.giveMs(begun, performance.now(), taken.turns);
      if (giveMs > 0) setTimeout(end, giveMs);
      else end();
      return { result };
    };
    return queue(ascending, async (letGo) => {
      const suspiciousAt = performance.now() + suspiciousMs;
      const end = () => {
        letGo();
        over();
      };
      while (performance.now() < deadline) {
        const session = client.startSession();
        try {
          const done = await attempt(session, end).catch(nullIfPassing);
          if (done !== null) return done.result;
        } finally {
          // A transaction that is still open is aborted by that, which nobody needs to wait for.
          void session.endSession();
        }
        onRetry();
        if (performance.now() > suspiciousAt) await endAbandoned();
        await pause(courtesy.retryMs());
      }
      throw new StoreUnavailable('other writes of the same user kept this one waiting');
    });
  };
}

/** For a transaction that failed and may be begun anew. */
function nullIfPassing(error: unknown): null {
  const transient = error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
  if (transient || isInterrupted(error) || error instanceof Busy || error instanceof Outdated) return null;
  throw error;
}
