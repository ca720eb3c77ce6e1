import { Worker } from 'node:worker_threads';
import type { MailComposer } from '#core/delivery/compose.ts';
import { Invalid, Malformed, Overloaded } from '#core/errors.ts';
import { FairQueue } from '#core/fairness/fair-queue.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Metrics } from '#core/metrics.ts';
import type { ComposeJob, ComposeOutcome } from './compose-worker.ts';

type Made = Awaited<ReturnType<MailComposer['compose']>>;
type Waiting = { job: ComposeJob; resolve(made: Made): void; reject(error: Error): void };
type Options = { metrics: Pick<Metrics, 'limitReached'>; entry?: URL; timeoutMs?: number };

/** Idle time after which the thread ends and frees its memory. */
const idleMs = 30_000;

/** Reads and composes messages in one thread, which is started on demand. */
export function createMailComposer(options: Options): MailComposer {
  const thread = new ComposeThread(options);
  return {
    compose: (user, { bytes, reader, given }, bounds) =>
      thread.run(user, { bytes, reader: reader.href, given, bounds }),
    close: () => thread.close(),
  };
}

class ComposeThread {
  readonly #metrics: Options['metrics'];
  readonly #entry: URL;
  readonly #timeoutMs: number;
  readonly #waiting = new FairQueue<Waiting, Id>();
  #running: Waiting | null = null;
  #worker: Worker | null = null;
  #cause: unknown;
  #clock: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ metrics, entry, timeoutMs }: Options) {
    this.#metrics = metrics;
    this.#entry = entry ?? new URL('./compose-worker.ts', import.meta.url);
    this.#timeoutMs = timeoutMs ?? limits.http.draftMs;
  }

  run(user: Id, job: ComposeJob): Promise<Made> {
    if (this.#closed) return Promise.reject(new Overloaded('No message is taken at the end of the process'));
    if (this.#waiting.sizeOf(user) >= limits.http.drafts) {
      this.#metrics.limitReached('http.drafts');
      return Promise.reject(new Overloaded(`More than ${limits.http.drafts} messages wait to be composed`));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push(user, { job, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#running !== null) return;
    this.#running = this.#waiting.shift() ?? null;
    if (this.#running === null) return;
    this.#worker ??= this.#start();
    const { job } = this.#running;
    this.#setClock(this.#timeoutMs, () => this.#metrics.limitReached('http.draftMs'));
    this.#worker.postMessage(job, job.bytes.buffer instanceof ArrayBuffer ? [job.bytes.buffer] : []);
  }

  #start(): Worker {
    const maxOldGenerationSizeMb = limits.http.draftHeapBytes / 1024 / 1024;
    const worker = new Worker(this.#entry, {
      resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: 8 },
    });
    worker.on('message', (outcome: ComposeOutcome) => this.#settle(outcome));
    worker.on('error', (error) => {
      this.#cause = error;
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        this.#metrics.limitReached('http.draftHeapBytes');
      }
    });
    worker.on('exit', () => this.#lose());
    return worker;
  }

  #setClock(ms: number, onEnd?: () => void): void {
    clearTimeout(this.#clock);
    this.#clock = setTimeout(() => {
      onEnd?.();
      void this.#worker?.terminate();
    }, ms).unref();
  }

  #settle(outcome: ComposeOutcome): void {
    const settled = this.#running;
    this.#running = null;
    this.#setClock(idleMs);
    if ('composed' in outcome) settled?.resolve(outcome.composed);
    else if ('violations' in outcome) settled?.reject(new Invalid(outcome.violations, outcome.limits));
    else if ('malformed' in outcome) settled?.reject(new Malformed(outcome.malformed));
    else settled?.reject(new Error(outcome.failure));
    this.#next();
  }

  /** Handles the end of the thread, by itself or because of its bounds. The next job starts another thread. */
  #lose(): void {
    clearTimeout(this.#clock);
    this.#worker = null;
    const lost = this.#running;
    this.#running = null;
    lost?.reject(
      new Overloaded('The message took too much time or memory to compose', { cause: this.#cause }),
    );
    if (this.#closed) {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        next.reject(new Overloaded('No message is taken at the end of the process'));
      }
    }
    this.#next();
  }
}
