import { setTimeout as pause } from 'node:timers/promises';
import type { Payers } from '#core/access/payers.ts';
import type { DeliveryStore, DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits as allLimits } from '#core/limits.ts';
import { FairQueue } from '#gate/fair-queue.ts';

/** Emails that are committed in one transaction, at least one. */
type Waiting = {
  mails: PreparedMail[];
  resolve(verdicts: DeliveryVerdict[]): void;
  reject(error: unknown): void;
};

/** Emails that wait for a batch, by the team's payer. Emails to several teams are queued for one of them. */
type Queue = FairQueue<Waiting, Id | undefined>;

/** Limits of a batch. A single email, or one request's emails, may exceed them. */
export type BatchLimits = { mails: number; bytes: number; rows: number };

export type BatchStore = Omit<DeliveryStore, 'commit'> & {
  /** Commits emails together. Calls `over` when the next batch with their key may start: at the end of this batch, or later. */
  commitBatch(mails: PreparedMail[], over?: () => void): Promise<DeliveryVerdict[]>;
};

/** How a batch's emails are chosen. */
export type Grouping = {
  payers: Pick<Payers, 'known'>;
  /** Returns a key: emails with the same key are committed one batch at a time. Null: they are committed alone, immediately. */
  batchKey(mails: PreparedMail[]): string | null;
  /** Resolves when a batch of the waiting emails may start. */
  ready?: () => Promise<void>;
  /** Minimum interval in ms between batches under load. */
  paceMs: number;
};

/**
 * Wraps a batch store to commit any emails: emails that arrive while a batch with their key is in progress form the next batch. Emails of
 * one call are never divided, and groups of two calls are never merged. Payers take turns. If a batch fails, commits its emails one by
 * one and rejects those that fail, unless the error is StoreUnavailable, with which it rejects all.
 */
export function withGroupCommit(
  store: BatchStore,
  { payers, batchKey, ready, paceMs }: Grouping,
  limits: BatchLimits = { mails: 256, bytes: 8 * 1024 * 1024, rows: allLimits.mail.commitRows },
): DeliveryStore {
  const queues = new Map<string, Queue>();

  const commitBatch = async (batch: Waiting[], over: () => void): Promise<void> => {
    try {
      const mails = batch.flatMap(({ mails }) => mails);
      settle(batch, await store.commitBatch(mails, over));
    } catch (error) {
      // An email that causes an error must not make the others fail.
      if (batch.length > 1 && !(error instanceof StoreUnavailable)) await commitApart(batch);
      else for (const { reject } of batch) reject(error);
      over();
    }
  };

  /**
   * Commits the waiting emails one by one. Once the store is unavailable, rejects the rest: each of them would wait for the store again.
   */
  const commitApart = async (batch: Waiting[]): Promise<void> => {
    for (const [index, waiting] of batch.entries()) {
      try {
        settle([waiting], await store.commitBatch(waiting.mails));
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
      await ready?.();
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
    const key = batchKey(waiting.mails);
    if (key === null) {
      void commitBatch([waiting], () => {});
      return;
    }
    const begun = queues.get(key);
    const queue: Queue = begun ?? new FairQueue();
    const team = waiting.mails[0]?.targets[0]?.owner;
    queue.push(team && payers.known(team), waiting);
    if (begun !== undefined) return;
    queues.set(key, queue);
    void run(key, queue);
  };

  let lastGroup = 0;
  return {
    ...store,
    async commit(mails, { wholly } = { wholly: false }) {
      if (mails.length === 0) return [];
      // Other calls' numbers start after the numbers of this call.
      const base = lastGroup + 1;
      lastGroup = base + mails.reduce((most, { group = 0 }) => Math.max(most, group), 0);
      const grouped = mails.map((mail) => {
        const group = wholly ? 0 : mail.group;
        return group === undefined ? mail : { ...mail, group: base + group };
      });
      return new Promise((resolve, reject) => join({ mails: grouped, resolve, reject }));
    },
  };
}

/** Answers a batch with the store's verdicts. */
function settle(batch: Waiting[], verdicts: DeliveryVerdict[]): void {
  let at = 0;
  for (const { mails, resolve, reject } of batch) {
    const own = verdicts.slice(at, at + mails.length);
    at += mails.length;
    if (own.length < mails.length) reject(new Error('the store returned no result'));
    else resolve(own);
  }
}

/** Selects one batch's emails, in turn: at least one. */
function takeBatch(queue: Queue, limits: BatchLimits): Waiting[] {
  const batch: Waiting[] = [];
  let count = 0;
  let bytes = 0;
  let rows = 0;
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    for (const mail of next.mails) {
      count += 1;
      bytes += mail.sizeBytes;
      rows += rowsOf(mail);
    }
    const isFull = count > limits.mails || bytes > limits.bytes || rows > limits.rows;
    if (batch.length > 0 && isFull) break;
    queue.shift();
    batch.push(next);
  }
  return batch;
}

/** Approximate number of an email's rows: one per message, and one for each reference that may link the message to others. */
function rowsOf({ targets, tokens }: PreparedMail): number {
  return targets.length * (1 + tokens.references.length);
}

/**
 * Maximum items and bytes that are sent to a store at the same time. More would keep the calling thread from other requests for too long.
 */
const most = { items: 500, bytes: 8 * 1024 * 1024 };

/** Divides items into portions that are sent one after another. A single item may be larger. */
export function* portionsOf<Item>(items: Item[], bytesOf: (item: Item) => number): Generator<Item[]> {
  let portion: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += bytesOf(item);
    if (portion.length === most.items || (portion.length > 0 && bytes > most.bytes)) {
      yield portion;
      portion = [];
      bytes = bytesOf(item);
    }
    portion.push(item);
  }
  if (portion.length > 0) yield portion;
}
