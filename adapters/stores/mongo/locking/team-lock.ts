import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError } from 'mongodb';
import { isInterrupted, translated } from '#adapters/stores/mongo/errors.ts';
import type { Collections } from '#adapters/stores/mongo/schema/collections.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { createAbandonedCheck } from './abandoned.ts';
import { createBackOff } from './back-off.ts';
import { LockTaken, lockVersions, untilLocked, type Versions } from './team-versions.ts';

/** Transaction that has locked some teams. `newest` are their newest event numbers at its beginning. */
export type TeamLock = { session: ClientSession; newest: Map<Id, number> } & Omit<Versions, 'numbers'>;

/** Error of a transaction that relied on an outdated cached value. The transaction is retried. */
export class StaleRead extends Error {}

export type LockOptions<T> = {
  /** Event numbers to be reserved, by team. */
  numbers?: Map<Id, number>;
  /** Mark of a transaction that delivers mail and changes nothing else. */
  delivers?: boolean;
  /** Runs after the commit, before the next transaction of this process locks one of the teams. */
  written?: (lock: TeamLock, result: T) => void;
  /** Runs when the next transaction may begin: after the commit and the back-off. */
  over?: (() => void) | undefined;
};

/**
 * Runs `work` in one transaction that locks teams. `work` may run several times, so it changes nothing but the database.
 * A result of null or false aborts the transaction. Resolves when the commit is durable. Throws StoreUnavailable after
 * 10 s.
 */
export type WithTeamLock = <T>(
  owners: Iterable<Id>,
  work: (lock: TeamLock) => Promise<T>,
  options?: LockOptions<T>,
) => Promise<T>;

/** Longest time for waiting and all attempts together, ms. */
const patienceMs = 10_000;

/** Waiting time after which the lock's holder may be a dead process, ms. */
const suspiciousMs = 1000;

/** Pause between two attempts to commit while the server is away, ms. */
const commitRetryMs = 100;

/**
 * Locks teams within this process by a queue, and between processes by writing to their version rows first, in ascending
 * order: the second writer fails before it sends anything else, and retries soon. `onRetry` is called for each retry.
 */
export function createTeamLocks(
  client: MongoClient,
  { teamVersions }: Collections,
  onRetry: () => void,
): WithTeamLock {
  const queue = createLockQueue();
  const endAbandoned = createAbandonedCheck(client);
  const backOff = createBackOff();

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
      const locked = await lockVersions(teamVersions, session, ascending, { numbers, delivers });
      const { numbers: newest, ...versions } = locked;
      const lock = { session, newest, ...versions };
      const result = await work(lock);
      if (result === null || result === false) {
        await session.abortTransaction();
        end();
        return { result };
      }
      await commitDurably(session, deadline);
      written(lock, result);
      const yieldMs = backOff.yieldMs(begun, performance.now(), versions.versions);
      if (yieldMs > 0) {
        const taken = untilLocked(teamVersions, versions.versions, yieldMs);
        // A server that does not answer prolongs no yield.
        void Promise.race([taken, pause(yieldMs)]).finally(end);
      } else end();
      return { result };
    };
    return queue(ascending, async (release) => {
      const suspiciousAt = performance.now() + suspiciousMs;
      const end = () => {
        release();
        over();
      };
      while (performance.now() < deadline) {
        const session = client.startSession();
        try {
          const done = await attempt(session, end).catch(nullIfPassing);
          if (done !== null) return done.result;
        } finally {
          // Aborts a transaction that is still open. Nobody needs to wait for that.
          void session.endSession();
        }
        onRetry();
        if (performance.now() > suspiciousAt) await endAbandoned();
        await pause(backOff.retryMs());
      }
      throw new StoreUnavailable('the write timed out: other writes of the same team came first');
    });
  };
}

/** Returns null for an error after which the transaction may be retried. Throws any other error. */
function nullIfPassing(error: unknown): null {
  const transient = error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
  if (transient || isInterrupted(error) || error instanceof LockTaken || error instanceof StaleRead)
    return null;
  throw error;
}

/**
 * Commits, and sends the command again if no answer came, which is safe. After `deadline` (on the clock of
 * `performance.now()`) an unknown outcome is thrown as an error: the transaction may have been committed, or not.
 */
async function commitDurably(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!isUnknown(error) || performance.now() + commitRetryMs > deadline) throw error;
      await pause(commitRetryMs);
    }
  }
}

/**
 * Checks whether the outcome of a commit is unknown. A transaction that was not committed has the label
 * TransientTransactionError.
 */
function isUnknown(error: unknown): boolean {
  if (error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')) return false;
  return translated(error) instanceof StoreUnavailable;
}

/**
 * Runs work when all earlier work that shares a key with it has released its keys. Work that succeeds calls `release`
 * itself, before or after it ends. The keys of work that fails are released for it.
 */
type LockQueue = <T>(keys: Id[], work: (release: () => void) => Promise<T>) => Promise<T>;

function createLockQueue(): LockQueue {
  const last = new Map<Id, Promise<void>>();
  return async (keys, work) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const before = keys.map((key) => last.get(key));
    for (const key of keys) last.set(key, released);
    void released.then(() => {
      for (const key of keys) if (last.get(key) === released) last.delete(key);
    });
    try {
      await Promise.all(before);
      return await work(release);
    } catch (error) {
      release();
      throw error;
    }
  };
}
