import { Worker } from 'node:worker_threads';
import type { Composed, RefusedDraft } from '#core/delivery/compose.ts';
import { Invalid, Malformed, Overloaded } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { RecentUse } from '#gate/recent-use.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ComposeAnswer, ComposeJob, ComposeOutcome } from './compose-drafts.ts';

/** Request whose messages are to be composed. `signal` aborts when nobody waits for them any more. */
export type ComposeRequest = {
  user: Id;
  job: ComposeJob<unknown>;
  signal: AbortSignal;
  resolve(made: (Composed | RefusedDraft)[]): void;
  reject(error: unknown): void;
};

type Options = {
  metrics: Pick<Metrics, 'limitReached'>;
  entry: URL;
  use: RecentUse;
  /** Longest time in ms of a request, by the clock, from its beginning. The thread ends with it. */
  timeoutMs: number;
  /** Processor time in ms after which a request ends between two of its messages. The thread goes on. */
  turnMs?: number;
  /** Takes a request that took longer. */
  beyond(request: ComposeRequest): void;
};

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Time in which a thread must have begun with a request. */
const startMs = 10_000;

/** About the bytes of a request that are composed in a millisecond. */
const bytesAMs = 10 * 1024;

/** Use of a user who sends now and then, ms. It counts as none, so that a small request comes before a large one. */
const littleMs = 250;

/**
 * Thread that reads and composes the messages of one request after the other, and is started on demand. The user who has used
 * the least time lately comes first.
 */
export class ComposeThread {
  readonly #options: Options;
  /** Requests that wait, by user, in their order. */
  readonly #waiting = new Map<Id, ComposeRequest[]>();
  #running: (ComposeRequest & { begun: number; isLate: boolean }) | null = null;
  #worker: Worker | null = null;
  #cause: unknown;
  #clock: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
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
    await this.#worker?.terminate();
    this.#lose();
  }

  #next(): void {
    if (this.#running !== null) return;
    const request = this.#shift();
    if (request === null) return;
    this.#running = { ...request, begun: performance.now(), isLate: false };
    this.#worker ??= this.#start();
    const { turnMs } = this.#options;
    this.#setClock(startMs);
    const { job } = request;
    const { buffer } = job.bytes;
    // The bytes of a request that may go on in another thread are copied.
    const moved = turnMs === undefined && buffer instanceof ArrayBuffer ? [buffer] : [];
    this.#worker.postMessage(turnMs === undefined ? job : { ...job, turnMs }, moved);
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
    const { user, job, signal, reject } = request;
    const own = this.#waiting.get(user) ?? [];
    if (own.includes(request)) {
      this.#keep(
        user,
        own.filter((other) => other !== request),
      );
    } else if (this.#running?.job === job && this.#options.turnMs === undefined) {
      void this.#worker?.terminate();
    }
    reject(signal.reason);
  }

  #start(): Worker {
    const maxOldGenerationSizeMb = limits.http.draftHeapBytes / 1024 / 1024;
    const worker = new Worker(this.#options.entry, {
      resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 8 },
    });
    this.#cause = undefined;
    worker.on('message', (answer: ComposeAnswer) => {
      if ('begins' in answer) this.#setClock(this.#options.timeoutMs);
      else this.#settle(answer.usedMs, answer.outcome);
    });
    worker.on('error', (error) => {
      this.#cause = error;
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        this.#options.metrics.limitReached('http.draftHeapBytes');
      }
    });
    worker.on('exit', () => this.#lose());
    return worker;
  }

  #setClock(ms: number): void {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => {
      if (this.#running !== null) this.#running.isLate = true;
      void this.#worker?.terminate();
    }, ms).unref();
  }

  #settle(usedMs: number, outcome: ComposeOutcome): void {
    const settled = this.#running;
    this.#running = null;
    this.#setClock(idleMs);
    if (settled === null) return;
    this.#options.use.add(settled.user, usedMs);
    if ('outlasts' in outcome) this.#options.beyond(settled);
    else if ('composed' in outcome) settled.resolve(outcome.composed);
    else if ('violations' in outcome) settled.reject(new Invalid(outcome.violations, outcome.limits));
    else if ('malformed' in outcome) settled.reject(new Malformed(outcome.malformed));
    else settled.reject(new Error(outcome.failure));
    this.#next();
  }

  /** Handles the end of the thread, by itself or because of its bounds. The next request starts another thread. */
  #lose(): void {
    clearTimeout(this.#clock);
    this.#worker = null;
    const lost = this.#running;
    this.#running = null;
    if (lost !== null) this.#options.use.add(lost.user, performance.now() - lost.begun);
    if (lost?.isLate && !this.#closed) this.#options.beyond(lost);
    else {
      lost?.reject(
        new Overloaded('The message took too much time or memory to compose', { cause: this.#cause }),
      );
    }
    if (this.#closed) {
      for (let next = this.#shift(); next !== null; next = this.#shift()) {
        next.reject(new Overloaded('The server is stopping: send the message again'));
      }
    }
    this.#next();
  }
}
