import { Thread } from '#adapters/threads/thread.ts';
import { ThreadLost } from '#adapters/threads/thread-lost.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { partyOf } from '#core/messages/examine.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { FairQueue } from '#gate/fair-queue.ts';
import type { Examined, Loss, MailJob, WorkerSettings } from './messages.ts';
import { servePieces } from './pieces.ts';

/** Email with the mode in which it is examined now. */
export type Mail = Omit<MailJob, 'ports'> & { source: Uint8Array | RawMessage };

export type LaneOptions = {
  entry: URL;
  settings: WorkerSettings;
  threads: number;
  /** Maximum time for an email in ms, and the name of that limit. */
  timeoutMs: number;
  timeLimit: LimitName;
  /** Maximum emails, and their bytes, that one thread examines at the same time. Many emails wait for DNS concurrently. */
  shared?: { mails: number; bytes: number };
  limitReached(name: LimitName): void;
};

type Place = { thread: Thread; bytes: number };

/** Idle time after which a thread for single emails ends and frees its memory. */
const idleMs = 30_000;

/**
 * Heap limits of a thread. Old space holds the strings of one large email and its search text. New space is small: an email's garbage is
 * short-lived, and a thread would never return a larger space's memory.
 */
const heap = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };

/** Threads that examine emails, one email at a time unless the threads are shared. Parties take turns. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting = new FairQueue<(place: Place) => void>();
  readonly #places: Place[];

  constructor(options: LaneOptions) {
    this.#options = options;
    const { entry, settings, threads, shared, limitReached } = options;
    const lost = (error: ThreadLost) => {
      const { limit } = this.lossOf(error);
      if (limit !== null) limitReached(limit);
      return error;
    };
    this.#places = Array.from({ length: threads }, () => {
      const kind = shared === undefined ? { idleMs } : { stallMs: limits.mail.stallMs, batched: true };
      const thread = new Thread({ entry, data: settings, heap, lost, ...kind });
      if (shared !== undefined) thread.start();
      return { thread, bytes: 0 };
    });
  }

  /** Returns null if the checks cost too much for a shared thread. Throws ThreadLost, and errors of the source. */
  examine(mail: Mail): Promise<Examined | null> {
    return new Promise((resolve) => {
      this.#waiting.push(partyOf(mail.arrival), (place) => resolve(this.#run(place, mail)));
      this.#assign();
    });
  }

  lossOf({ kind, cause }: ThreadLost): Loss {
    const { timeoutMs, timeLimit } = this.#options;
    const late = (limit: LimitName, ms: number) => ({ reason: `reading took more than ${ms} ms`, limit });
    if (kind === 'late') return late(timeLimit, timeoutMs);
    if (kind === 'stalled') return late('mail.stallMs', limits.mail.stallMs);
    if (cause === undefined) return { reason: 'the reader stopped', limit: null };
    return { reason: `the reader failed: ${cause instanceof Error ? cause.message : cause}`, limit: null };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#places.map(({ thread }) => thread.stop()));
  }

  #assign(): void {
    const { mails, bytes } = this.#options.shared ?? { mails: 1, bytes: Number.POSITIVE_INFINITY };
    while (this.#waiting.size > 0) {
      const place = this.#places.reduce((one, other) => (other.thread.load < one.thread.load ? other : one));
      if (place.thread.load >= mails || place.bytes >= bytes) return;
      this.#waiting.shift()?.(place);
    }
  }

  async #run(place: Place, { source, ...job }: Mail): Promise<Examined | null> {
    const { timeoutMs: limitMs } = this.#options;
    const inMemory = source instanceof Uint8Array;
    const bytes = inMemory ? source.length : 0;
    place.bytes += bytes;
    try {
      return await (inMemory
        ? place.thread.call<Examined | null>('examine', [job], { bytes: source, limitMs })
        : examineInPieces(place.thread, job, source, limitMs));
    } finally {
      place.bytes -= bytes;
      this.#assign();
    }
  }
}

async function examineInPieces(thread: Thread, job: MailJob, raw: RawMessage, limitMs: number) {
  let sourceError: unknown;
  const fail = (error: unknown) => {
    sourceError = error;
  };
  const ports: MailJob['ports'] = [servePieces(raw, fail), servePieces(raw, fail)];
  try {
    return await thread.call<Examined | null>('examine', [{ ...job, ports }], { transfer: ports, limitMs });
  } catch (error) {
    throw error instanceof ThreadLost ? error : (sourceError ?? error);
  }
}
