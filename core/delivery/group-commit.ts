import { StoreUnavailable } from '#core/errors.ts';
import { FairQueue } from '#core/fairness/fair-queue.ts';
import type { Id } from '#core/ids.ts';
import { limits as allLimits } from '#core/limits.ts';
import { countedReferences } from '#core/messages/thread.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail } from './delivery.ts';

type Waiting = {
  mail: PreparedMail;
  resolve(verdict: DeliveryVerdict): void;
  reject(error: unknown): void;
};

/** Mails of a lane by user. A mail to several users is queued for one of them. */
type Queue = FairQueue<Waiting, Id | undefined>;

/** How much one commit takes at most; a single mail may be larger. */
export type BatchLimits = { mails: number; bytes: number; rows: number };

/** Commits a mail that is prepared, or will be; a mail that cannot be prepared rejects with the same error. */
export type Commit = (mail: PreparedMail | Promise<PreparedMail>) => Promise<DeliveryVerdict>;

/**
 * Commits mails together: while a commit of a lane is under way, the mails of that lane gather for the next one, which
 * waits a moment for those that are being prepared, if the store would have it so. Users take turns in a lane. A mail without
 * a lane goes by itself.
 * The promise rejects with what the store throws; where that is not StoreUnavailable, the mails of the batch are tried
 * one by one first.
 */
export function createGroupCommit(
  store: Pick<DeliveryStore, 'commitDeliveries' | 'lane' | 'gatherMs'>,
  limits: BatchLimits = { mails: 256, bytes: 8 * 1024 * 1024, rows: allLimits.mail.commitRows },
): Commit {
  const lanes = new Map<string, Queue>();
  const coming = createComing();

  const commitBatch = async (batch: Waiting[], next: () => void): Promise<void> => {
    try {
      const mails = batch.map(({ mail }) => mail);
      const verdicts = await store.commitDeliveries(mails, next);
      for (const [i, { resolve, reject }] of batch.entries()) {
        const verdict = verdicts[i];
        if (verdict === undefined) reject(new Error('the store gave no verdict'));
        else resolve(verdict);
      }
    } catch (error) {
      // One mail is at fault, and must not take the others along.
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) {
        for (const waiting of batch) await commitBatch([waiting], () => {});
      } else {
        for (const { reject } of batch) reject(error);
      }
      next();
    }
  };

  const run = async (lane: string, queue: Queue): Promise<void> => {
    while (queue.size > 0) {
      await coming.none(store.gatherMs);
      const batch = takeBatch(queue, limits);
      const { promise: mayBegin, resolve: next } = Promise.withResolvers<void>();
      void commitBatch(batch, next);
      await mayBegin;
    }
    lanes.delete(lane);
  };

  const join = (waiting: Waiting): void => {
    const lane = store.lane(waiting.mail);
    if (lane === null) {
      void commitBatch([waiting], () => {});
      return;
    }
    const begun = lanes.get(lane);
    const queue: Queue = begun ?? new FairQueue();
    queue.push(waiting.mail.targets[0]?.owner, waiting);
    if (begun !== undefined) return;
    lanes.set(lane, queue);
    void run(lane, queue);
  };

  return async (promised) => {
    const mail = await coming.until(promised);
    return new Promise((resolve, reject) => join({ mail, resolve, reject }));
  };
}

/** Counts what is on its way. */
function createComing() {
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
          // Whoever waits looks after what came has joined the others.
          setImmediate(none.resolve);
          none = Promise.withResolvers();
        }
      }
    },
    /** Resolves when nothing is on its way, at the latest after so long. */
    async none(withinMs: number): Promise<void> {
      if (count === 0 || withinMs === 0) return;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      await Promise.race([none.promise, late]);
      clearTimeout(timer);
    },
  };
}

/** Takes the mails of one batch, in turn by user: at least one. */
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
function rowsOf({ targets, content }: PreparedMail): number {
  return targets.length * (1 + Math.min(content.references.length, countedReferences(targets.length)));
}
