import { StoreUnavailable } from '#core/errors.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail } from './delivery.ts';

type Waiting = {
  mail: PreparedMail;
  resolve(verdict: DeliveryVerdict): void;
  reject(error: unknown): void;
};

/** How much one commit takes at most; a single mail may be larger. */
export type BatchLimits = { mails: number; bytes: number };

/**
 * Commits mails together: while a commit of a lane is under way, the mails of that lane gather for the next one. A mail
 * without a lane goes by itself. Batches of a lane are answered in their order. The promise rejects with what the store
 * throws; where that is not StoreUnavailable, the mails of the batch are tried one by one first.
 */
export function createGroupCommit(
  store: Pick<DeliveryStore, 'commitDeliveries' | 'lane'>,
  limits: BatchLimits = { mails: 256, bytes: 8 * 1024 * 1024 },
): (mail: PreparedMail) => Promise<DeliveryVerdict> {
  const lanes = new Map<string, Waiting[]>();

  const commitBatch = async (batch: Waiting[], next: () => void, before?: Promise<void>): Promise<void> => {
    try {
      const mails = batch.map(({ mail }) => mail);
      const [verdicts] = await Promise.all([store.commitDeliveries(mails, next), before]);
      for (const [i, { resolve, reject }] of batch.entries()) {
        const verdict = verdicts[i];
        if (verdict === undefined) reject(new Error('the store gave no verdict'));
        else resolve(verdict);
      }
    } catch (error) {
      await before;
      // One mail is at fault, and must not take the others along.
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) {
        for (const waiting of batch) await commitBatch([waiting], () => {});
      } else {
        for (const { reject } of batch) reject(error);
      }
      next();
    }
  };

  const run = async (lane: string, queue: Waiting[]): Promise<void> => {
    let answered: Promise<void> | undefined;
    while (queue.length > 0) {
      const batch = queue.splice(0, batchLength(queue, limits));
      const { promise: mayBegin, resolve: next } = Promise.withResolvers<void>();
      answered = commitBatch(batch, next, answered);
      await mayBegin;
    }
    lanes.delete(lane);
  };

  return (mail) =>
    new Promise((resolve, reject) => {
      const waiting = { mail, resolve, reject };
      const lane = store.lane(mail);
      if (lane === null) {
        void commitBatch([waiting], () => {});
        return;
      }
      const queue = lanes.get(lane);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      const begun = [waiting];
      lanes.set(lane, begun);
      void run(lane, begun);
    });
}

/** How many of the first mails make one batch: at least one. */
function batchLength(queue: Waiting[], limits: BatchLimits): number {
  let bytes = 0;
  const over = queue.findIndex(({ mail }, i) => {
    bytes += mail.sizeBytes;
    return i > 0 && (i === limits.mails || bytes > limits.bytes);
  });
  return over < 0 ? Math.min(queue.length, limits.mails) : over;
}
