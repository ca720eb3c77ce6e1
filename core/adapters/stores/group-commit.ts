import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryStore, DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import { FairQueue } from '#core/fairness/fair-queue.ts';
import type { Id } from '#core/ids.ts';
import { limits as allLimits } from '#core/limits.ts';
import { countedReferences } from '#core/messages/thread.ts';

type Waiting = {
  mail: PreparedMail;
  resolve(verdict: DeliveryVerdict): void;
  reject(error: unknown): void;
};

/** Mails that wait for a batch, by team. A mail to several teams is queued for one of them. */
type Queue = FairQueue<Waiting, Id | undefined>;

/** Bounds of a batch. A single mail may be larger. */
export type BatchLimits = { mails: number; bytes: number; rows: number };

/** Store of deliveries that commits batches. */
export type BatchStore = Omit<DeliveryStore, 'commit' | 'commitDeliveries'> & {
  /** Commits mails together. Calls `over` when the next batch of their key may begin: at the end of this one, or later. */
  commitDeliveries(mails: PreparedMail[], over?: () => void): Promise<DeliveryVerdict[]>;
};

/** Choice of the mails of a batch. */
export type Grouping = {
  /** Mails of one key are committed one batch at a time. null: a mail is committed alone, at once. */
  batchKey(mail: PreparedMail): string | null;
  /** Longest time in ms that a batch waits for mails that are being examined. */
  lingerMs: number;
  /** Shortest time in ms between the beginnings of two batches, where mail comes during the first. */
  paceMs: number;
};

/**
 * Wraps a store of batches by a commit of single mails: mails that come while a batch of their key is under way form the
 * next one. Users take turns. Rejects with the error of the store; unless that is StoreUnavailable, the mails of the batch
 * are committed one by one before.
 */
export function withGroupCommit(
  store: BatchStore,
  { batchKey, lingerMs, paceMs }: Grouping,
  limits: BatchLimits = { mails: 256, bytes: 8 * 1024 * 1024, rows: allLimits.mail.commitRows },
): DeliveryStore {
  const queues = new Map<string, Queue>();
  const expected = countExpected();

  const commitBatch = async (batch: Waiting[], over: () => void): Promise<void> => {
    try {
      const mails = batch.map(({ mail }) => mail);
      settle(batch, await store.commitDeliveries(mails, over));
    } catch (error) {
      // One mail is at fault, and must not take the others along.
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) await commitApart(batch);
      else for (const { reject } of batch) reject(error);
      over();
    }
  };

  /** Commits mails one by one. Rejects the rest once the store is unavailable: each would wait for it anew. */
  const commitApart = async (batch: Waiting[]): Promise<void> => {
    for (const [index, waiting] of batch.entries()) {
      try {
        settle([waiting], await store.commitDeliveries([waiting.mail]));
      } catch (error) {
        const isAway = error instanceof StoreUnavailable;
        for (const { reject } of isAway ? batch.slice(index) : [waiting]) reject(error);
        if (isAway) return;
      }
    }
  };

  const run = async (key: string, queue: Queue): Promise<void> => {
    let begun = Number.NEGATIVE_INFINITY;
    while (queue.size > 0) {
      await expected.none(lingerMs);
      const earlyMs = begun + paceMs - performance.now();
      if (earlyMs > 0) await pause(earlyMs);
      begun = performance.now();
      const { promise: ended, resolve: over } = Promise.withResolvers<void>();
      void commitBatch(takeBatch(queue, limits), over);
      await ended;
    }
    queues.delete(key);
  };

  const join = (waiting: Waiting): void => {
    const key = batchKey(waiting.mail);
    if (key === null) {
      void commitBatch([waiting], () => {});
      return;
    }
    const begun = queues.get(key);
    const queue: Queue = begun ?? new FairQueue();
    queue.push(waiting.mail.targets[0]?.owner, waiting);
    if (begun !== undefined) return;
    queues.set(key, queue);
    void run(key, queue);
  };

  return {
    ...store,
    async commit(promised) {
      const mail = await expected.until(promised);
      return new Promise((resolve, reject) => join({ mail, resolve, reject }));
    },
  };
}

/** Answers the mails of a batch by the verdicts of the store. */
function settle(batch: Waiting[], verdicts: DeliveryVerdict[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined) reject(new Error('the store gave no verdict'));
    else resolve(verdict);
  }
}

/** Counts mails that are being examined. */
function countExpected() {
  let count = 0;
  let none = Promise.withResolvers<void>();
  return {
    async until<T>(promised: T | Promise<T>): Promise<T> {
      count += 1;
      try {
        return await promised;
      } finally {
        count -= 1;
        if (count === 0) {
          // The mail that came joins its queue before a batch begins.
          setImmediate(none.resolve);
          none = Promise.withResolvers();
        }
      }
    },
    /** Resolves when no mail is expected, at the latest after `withinMs`. */
    async none(withinMs: number): Promise<void> {
      if (count === 0 || withinMs === 0) return;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      await Promise.race([none.promise, late]);
      clearTimeout(timer);
    },
  };
}

/** Takes the mails of one batch, in turn by team: at least one. */
function takeBatch(queue: Queue, limits: BatchLimits): Waiting[] {
  const batch: Waiting[] = [];
  let bytes = 0;
  let rows = 0;
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    bytes += next.mail.sizeBytes;
    rows += rowsOf(next.mail);
    const isFull = batch.length === limits.mails || bytes > limits.bytes || rows > limits.rows;
    if (batch.length > 0 && isFull) break;
    queue.shift();
    batch.push(next);
  }
  return batch;
}

/** About how many rows a mail makes: one a message, and one for each reference that may link it to others. */
function rowsOf({ targets, record }: PreparedMail): number {
  return targets.length * (1 + Math.min(record.tokens.references.length, countedReferences(targets.length)));
}
