import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type Collection, type MongoClient, MongoError } from 'mongodb';
import { isInterrupted, translated } from '#adapters/stores/mongo/errors.ts';
import type { Collections, TeamVersionRow } from '#adapters/stores/mongo/schema/rows.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { createAbandonedCheck } from './abandoned.ts';

/** Transaction that has locked some teams. `newest` contains the teams' newest event numbers when it started. */
export type TeamLock = { session: ClientSession; newest: Map<Id, number> } & Omit<Versions, 'numbers'>;

export type LockOptions = {
  /** Event numbers to reserve, by team. */
  numbers?: Map<Id, number>;
  /** True if the transaction only delivers mail. */
  delivers?: boolean;
  /** Called when the next transaction may start: after the commit and the back-off. */
  over?: (() => void) | undefined;
};

/**
 * Runs `work` in one transaction that locks teams. `work` may run several times, so it must change only the database. A result of
 * null or false aborts the transaction. Resolves when the commit is durable. Throws StoreUnavailable after 10 s.
 */
export type WithTeamLock = <T>(
  owners: Iterable<Id>,
  work: (lock: TeamLock) => Promise<T>,
  options?: LockOptions,
) => Promise<T>;

/** Maximum time in ms for waiting and all attempts together. */
const patienceMs = 10_000;

/** Waiting time in ms after which the lock's holder may be a dead process. */
const suspiciousMs = 1000;

/** Pause in ms between two attempts to commit while the server is away. */
const commitRetryMs = 100;

/**
 * Locks teams within this process with a queue, and between processes by writing to the teams' version rows first, in ascending order: a
 * second writer fails before it sends anything else, and retries soon. Calls `onRetry` for each retry.
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
    const { numbers = new Map(), delivers = false, over = () => {} } = options;
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
      const yieldMs = backOff.yieldMs(begun, performance.now(), versions.versions);
      if (yieldMs > 0) {
        const taken = untilLocked(teamVersions, versions.versions, yieldMs);
        // Unresponsive servers do not prolong a yield.
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
          // Aborts a transaction that is still open. Nothing needs to wait for this.
          void session.endSession();
        }
        onRetry();
        if (performance.now() > suspiciousAt) await endAbandoned();
        await pause(backOff.retryMs());
      }
      throw new StoreUnavailable("the write timed out waiting for the team's other writes");
    });
  };
}

/** Returns null for an error after which the transaction may be retried. Throws other errors. */
function nullIfPassing(error: unknown): null {
  const transient = error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
  if (transient || isInterrupted(error) || error instanceof LockTaken) return null;
  throw error;
}

/**
 * Commits, and resends the command if no answer arrived, which is safe. After `deadline` (on the clock of `performance.now()`), throws an
 * error if the outcome is unknown: the transaction may or may not have been committed.
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

/** Checks whether a commit's outcome is unknown. A transaction that was not committed has the label TransientTransactionError. */
function isUnknown(error: unknown): boolean {
  if (error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')) return false;
  return translated(error) instanceof StoreUnavailable;
}

/**
 * Runs `work` once all earlier work that shares a key with it has released its keys. Successful work calls `release` itself, before or
 * after it ends. The keys of failed work are released automatically.
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

/**
 * Rows of locked teams. `numbers`: the teams' newest event numbers before the transaction. `versions` already include the transaction.
 * `rules` are the versions of the teams' mail rules.
 */
export type Versions = { numbers: Map<Id, number>; versions: Map<Id, number>; rules: Map<Id, number> };

/** Lock options. `numbers`: event numbers to reserve, by team. `delivers`: the transaction only delivers mail. */
export type VersionsWanted = { numbers: Map<Id, number>; delivers: boolean };

class LockTaken extends Error {}

/**
 * Locks teams by writing to their version rows, as the first statement of a transaction, and reserves event numbers. `owners` are in
 * ascending order. Writes a row even if it reserves no numbers, because a write that changes nothing conflicts with nothing. Throws
 * LockTaken.
 */
async function lockVersions(
  teamVersions: Collection<TeamVersionRow>,
  session: ClientSession,
  owners: Id[],
  wanted: VersionsWanted,
): Promise<Versions> {
  try {
    const rows = await written(teamVersions, session, owners, wanted);
    return {
      numbers: new Map(rows.map(({ _id, number }) => [_id, number - (wanted.numbers.get(_id) ?? 0)])),
      versions: new Map(rows.map(({ _id, version }) => [_id, version])),
      rules: new Map(rows.map(({ _id, rules = 0 }) => [_id, rules])),
    };
  } catch (error) {
    const writeConflict = 112;
    throw error instanceof MongoError && error.code === writeConflict ? new LockTaken() : error;
  }
}

/** Time in ms between two version checks. */
const lookEveryMs = 4;

/**
 * Resolves when another transaction of one of the teams has been committed since `versions`, at the first check after `withinMs`, or when
 * the server is away.
 */
export async function untilLocked(
  teamVersions: Collection<TeamVersionRow>,
  versions: Map<Id, number>,
  withinMs: number,
): Promise<void> {
  const teams = { _id: { $in: [...versions.keys()] } };
  const latest = { readConcern: { level: 'local' }, projection: { version: 1 } } as const;
  const until = performance.now() + withinMs;
  let changed = false;
  while (!changed && performance.now() < until) {
    await pause(lookEveryMs);
    const rows = await teamVersions
      .find(teams, latest)
      .toArray()
      .catch(() => null);
    changed = rows === null || rows.some(({ _id, version }) => version !== versions.get(_id));
  }
}

async function written(
  teamVersions: Collection<TeamVersionRow>,
  session: ClientSession,
  owners: Id[],
  { numbers, delivers }: VersionsWanted,
): Promise<TeamVersionRow[]> {
  const update = (owner: Id) => ({
    $inc: { version: 1, changes: delivers ? 0 : 1, number: numbers.get(owner) ?? 0 },
    $setOnInsert: { pruned: 0 },
  });
  const [first, ...others] = owners;
  if (first !== undefined && others.length === 0) {
    const options = { session, upsert: true, returnDocument: 'after' } as const;
    const row = await teamVersions.findOneAndUpdate({ _id: first }, update(first), options);
    return row === null ? [] : [row];
  }
  await teamVersions.bulkWrite(
    owners.map((_id) => ({ updateOne: { filter: { _id }, update: update(_id), upsert: true } })),
    { session },
  );
  return teamVersions.find({ _id: { $in: owners } }, { session }).toArray();
}

const waitMs = { least: 2, most: 200 };
/** Maximum length of a yield, and length of a pause before a retry, as multiples of the last transaction's duration. */
const yieldFactor = { shared: 2, alone: 1.4 };
const retryFactor = { least: 0.3, most: 0.7 };
/** Maximum number of transactions that a process runs without a gap. */
const mostInARow = 20;

/**
 * Makes processes that lock the same teams alternate. The process that has a lock would also win the next lock, because it is there
 * first. A process that notices another process's lock therefore yields after its own transaction, until the other process has had its
 * turn. A process that notices no such lock yields occasionally, because another process may be waiting.
 */
export function createBackOff() {
  /** Teams' versions at the end of this process's latest transaction. */
  const seen = new Map<Id, number>();
  /** Duration of the latest transaction in ms. Other processes' transactions are assumed to take about as long. */
  let lastMs = waitMs.least;
  let lastEnd = 0;
  let inARow = 0;
  const pauseMs = (factor: number) => Math.min(Math.max(factor * lastMs, waitMs.least), waitMs.most);
  return {
    /** Pause in ms before the next attempt to lock: shorter than a yield. */
    retryMs: () => pauseMs(retryFactor.least + (retryFactor.most - retryFactor.least) * Math.random()),
    /** Maximum yield in ms after a transaction. `versions` maps each of the transaction's teams to its version after the transaction. */
    yieldMs(begunAt: number, endedAt: number, versions: Map<Id, number>): number {
      const shared = [...versions].some(([owner, version]) => version > (seen.get(owner) ?? version) + 1);
      for (const [owner, version] of versions) seen.set(owner, version);
      inARow = begunAt - lastEnd > lastMs ? 1 : inARow + 1;
      lastMs = endedAt - begunAt;
      lastEnd = endedAt;
      if (!shared && inARow < mostInARow) return 0;
      inARow = 0;
      return pauseMs(shared ? yieldFactor.shared : yieldFactor.alone);
    },
  };
}
