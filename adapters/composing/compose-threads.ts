import { Thread } from '#adapters/threads/thread.ts';
import { ThreadLost } from '#adapters/threads/thread-lost.ts';
import type { Composed, RefusedDraft } from '#core/delivery/compose.ts';
import { Overloaded } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { RecentUse } from '#gate/recent-use.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ComposeAnswer, ComposeBounds, ComposeJob } from './compose-drafts.ts';

/** `entry`: module of the thread, which calls `serveComposing` with the reader of its requests. */
type Options = { metrics: Pick<Metrics, 'limitReached'>; entry: URL; timeoutMs?: number };

/**
 * Request to send, not parsed yet. `given`: further arguments of its reader, structured-cloneable. `signal` aborts when the
 * client hangs up. `bytes` move to a thread and back: until the answer, they may be detached.
 */
type UnreadRequest = { bytes: Uint8Array<ArrayBuffer>; given: unknown; signal: AbortSignal };

/** Makes RFC 5322 messages with CRLF line ends and without Bcc. */
export type MailComposer = {
  /**
   * Composes the messages of a request. Users who have used less time lately come first. A message that is refused by itself is
   * a RefusedDraft. Throws what the reader throws, Invalid, Overloaded, and the reason of the request's signal.
   */
  compose(user: Id, unread: UnreadRequest, bounds: ComposeBounds): Promise<(Composed | RefusedDraft)[]>;
  close(): Promise<void>;
};

/**
 * Reads and composes messages in two threads, each of which is started on demand. A request begins in the shared one. One that
 * takes longer than a turn there, or is large, is made in the other.
 */
export function createMailComposer({
  metrics,
  entry,
  timeoutMs = limits.http.draftMs,
}: Options): MailComposer {
  const { drafts, draftTurnMs } = limits.http;
  const shared = { metrics, use: new RecentUse<Id>(), entry };
  const long = new ComposeThread({
    ...shared,
    timeoutMs,
    beyond({ reject }) {
      metrics.limitReached('http.draftMs');
      reject(new Overloaded('The message took too much time to compose'));
    },
  });
  const short = new ComposeThread({
    ...shared,
    timeoutMs,
    turnMs: draftTurnMs,
    beyond: (request) => long.take(request),
  });
  return {
    compose(user, unread, bounds) {
      if (short.waitingOf(user) + long.waitingOf(user) >= drafts) {
        metrics.limitReached('http.drafts');
        return Promise.reject(new Overloaded(`More than ${drafts} messages wait to be composed`));
      }
      return new Promise((resolve, reject) => {
        const { bytes, given, signal } = unread;
        const job = { bytes, given, bounds };
        const request = { user, unread, job, signal, resolve, reject };
        (bytes.length > limits.workshop.largeBytes ? long : short).take(request);
      });
    },
    async close() {
      await Promise.all([short.close(), long.close()]);
    },
  };
}

/** Request whose messages are to be composed. `signal` aborts when nobody waits for them any more. */
type ComposeRequest = {
  user: Id;
  unread: UnreadRequest;
  job: ComposeJob<unknown>;
  signal: AbortSignal;
  resolve(made: (Composed | RefusedDraft)[]): void;
  reject(error: unknown): void;
};

type ThreadOptions = {
  metrics: Pick<Metrics, 'limitReached'>;
  entry: URL;
  use: RecentUse<Id>;
  /** Longest time in ms of a request, by the clock, from its beginning. The thread ends with it. */
  timeoutMs: number;
  /** Processor time in ms after which a request ends between two of its messages. The thread goes on. */
  turnMs?: number;
  /** Takes a request that took longer. */
  beyond(request: ComposeRequest): void;
};

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** About the bytes of a request that are composed in a millisecond. */
const bytesAMs = 10 * 1024;

/** Use of a user who sends now and then, ms. It counts as none, so that a small request comes before a large one. */
const littleMs = 250;

/**
 * Thread that reads and composes the messages of one request after the other, and is started on demand. The user who has used
 * the least time lately comes first.
 */
class ComposeThread {
  readonly #options: ThreadOptions;
  /** Requests that wait, by user, in their order. */
  readonly #waiting = new Map<Id, ComposeRequest[]>();
  readonly #thread: Thread;
  #running = false;
  #closed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
    const maxOldGenerationSizeMb = limits.http.draftHeapBytes / 1024 / 1024;
    this.#thread = new Thread({
      entry: options.entry,
      heap: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 8 },
      idleMs,
    });
  }

  waitingOf(user: Id): number {
    return this.#waiting.get(user)?.length ?? 0;
  }

  take(request: ComposeRequest): void {
    const { user, signal, reject } = request;
    if (this.#closed) {
      reject(new Overloaded('The server is stopping: send the message again'));
      return;
    }
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    this.#waiting.set(user, [...(this.#waiting.get(user) ?? []), request]);
    signal.addEventListener('abort', () => this.#drop(request), { once: true });
    this.#next();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#thread.stop();
    for (let next = this.#shift(); next !== null; next = this.#shift()) {
      next.reject(new Overloaded('No message is taken at the end of the process'));
    }
  }

  #next(): void {
    const request = this.#running || this.#closed ? null : this.#shift();
    if (request === null) return;
    this.#running = true;
    void this.#run(request).finally(() => {
      this.#running = false;
      this.#next();
    });
  }

  async #run(request: ComposeRequest): Promise<void> {
    const { user, unread, job, signal, resolve, reject } = request;
    const { metrics, use, timeoutMs: limitMs, turnMs, beyond } = this.#options;
    // A request that may go on in the other thread keeps its bytes, and leaves this thread running if its client has gone.
    const [args, bounds] =
      turnMs === undefined
        ? [job, { limitMs, signal, transfer: [job.bytes.buffer] }]
        : [{ ...job, turnMs }, { limitMs }];
    const begun = performance.now();
    try {
      const { usedMs, composed, bytes } = await this.#thread.call<ComposeAnswer>('compose', [args], bounds);
      use.add(user, usedMs);
      unread.bytes = bytes;
      if (composed === null) beyond(request);
      else resolve(composed);
    } catch (error) {
      use.add(user, performance.now() - begun);
      if (!(error instanceof ThreadLost)) reject(error);
      else if (error.kind === 'late') beyond(request);
      else {
        if (error.kind === 'memory') metrics.limitReached('http.draftHeapBytes');
        reject(new Overloaded('The message took too much time or memory to compose', { cause: error.cause }));
      }
    }
  }

  /** Takes the next request: of the user who will have used the least time after it. */
  #shift(): ComposeRequest | null {
    let least = Number.POSITIVE_INFINITY;
    let chosen: Id | null = null;
    for (const [user, [first]] of this.#waiting) {
      const used = Math.max(0, this.#options.use.of(user) - littleMs);
      const then = used + (first?.job.bytes.length ?? 0) / bytesAMs;
      if (then < least) [least, chosen] = [then, user];
    }
    const [first, ...others] = chosen === null ? [] : (this.#waiting.get(chosen) ?? []);
    if (first === undefined) return null;
    this.#keep(first.user, others);
    return first;
  }

  #keep(user: Id, requests: ComposeRequest[]): void {
    // A user whose request was taken goes behind others who have used as much.
    this.#waiting.delete(user);
    if (requests.length > 0) this.#waiting.set(user, requests);
  }

  /** Drops a request whose client has gone. */
  #drop(request: ComposeRequest): void {
    const { user, signal, reject } = request;
    const own = this.#waiting.get(user) ?? [];
    this.#keep(
      user,
      own.filter((other) => other !== request),
    );
    reject(signal.reason);
  }
}
