import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import * as coreErrors from '#core/errors.ts';
import type { FromThread, SentError, ToThread } from './serve.ts';

export type ThreadOptions = {
  /** Module that calls `serve`. */
  entry: URL;
  /** `workerData` of the thread. */
  data?: unknown;
  heap?: ResourceLimits;
  /** Time in ms without a call after which the thread ends and frees its memory. */
  idleMs?: number;
  /** Error of the calls that are lost with the thread, in place of ThreadLost. */
  lost?(loss: ThreadLost): Error;
};

export type CallOptions = {
  /** Buffers and ports that move to the thread. */
  transfer?: Transferable[];
  /** Longest time in ms, once the thread is ready. A thread with a late call ends. */
  limitMs?: number;
  /** Ends the thread if it aborts before the answer: running code cannot be interrupted otherwise. */
  signal?: AbortSignal;
};

/**
 * Reason for which a call was lost with its thread: it was late, another call was late or aborted, the heap was full, or the thread was
 * stopped or broke.
 */
export type LossKind = 'late' | 'other' | 'memory' | 'stopped' | 'broken';

/** Error of a call whose thread ended before its answer. */
export class ThreadLost extends Error {
  override name = 'ThreadLost';
  readonly kind: LossKind;
  constructor(kind: LossKind, cause?: unknown) {
    super(`the thread was lost (${kind})`, { cause });
    this.kind = kind;
  }
}

type Pending = {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  since: number;
  limitMs: number;
};

/**
 * Worker thread that answers calls, several at a time if its methods are asynchronous. The first call starts it, and so does
 * the next one after its end. If it ends early, all of its calls fail. Errors of the core keep their class.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #calls = new Map<number, Pending>();
  #worker: Worker | null = null;
  /** Time at which the thread had loaded its modules, null before. */
  #readyAt: number | null = null;
  #lastId = 0;
  #clock: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Number of calls without an answer. */
  get load(): number {
    return this.#calls.size;
  }

  /** Starts the thread before its first call. */
  start(): void {
    this.#worker ??= this.#begin();
  }

  /** Returns the result of a method in the thread. Throws its error, ThreadLost, or the reason of the signal. */
  call<Result>(method: string, args: unknown[], options: CallOptions = {}): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#lossError(new ThreadLost('stopped')));
    const { transfer = [], limitMs = Number.POSITIVE_INFINITY, signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#lastId;
    this.#worker ??= this.#begin();
    this.#worker.postMessage({ id, method, args } satisfies ToThread, transfer);
    return new Promise<unknown>((resolve, reject) => {
      this.#calls.set(id, { resolve, reject, since: performance.now(), limitMs });
      signal?.addEventListener('abort', () => this.#abort(id, signal), { once: true });
      // The call may be the first to be late, whatever the others may take.
      if (this.#calls.size === 1 || limitMs < Number.POSITIVE_INFINITY) this.#setClock();
    }) as Promise<Result>;
  }

  /** Ends the thread after its pending calls. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ end: true } satisfies ToThread);
    await ended;
  }

  /** Ends the thread at once. Its calls fail. */
  async stop(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#end(worker, 'stopped');
    await worker?.terminate();
  }

  #begin(): Worker {
    const { entry, data, heap } = this.#options;
    const worker = new Worker(entry, {
      workerData: data,
      ...(heap === undefined ? {} : { resourceLimits: heap }),
    });
    this.#readyAt = null;
    worker.on('message', (message: FromThread) => this.#receive(worker, message));
    worker.on('error', (cause) => {
      const isFull = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(worker, isFull ? 'memory' : 'broken', cause);
    });
    worker.on('exit', () => this.#end(worker, 'broken'));
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if (worker !== this.#worker) return;
    if ('ready' in message) {
      this.#readyAt = performance.now();
      this.#setClock();
      return;
    }
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if (this.#calls.size === 0) this.#setClock();
    if ('error' in message) call?.reject(toError(message.error));
    else call?.resolve(message.result);
  }

  /** Waits for the first call that will be late, or for the end of the idle time. */
  #setClock(): void {
    clearTimeout(this.#clock);
    this.#clock = undefined;
    const { idleMs } = this.#options;
    const worker = this.#worker;
    if (this.#calls.size === 0) {
      if (idleMs !== undefined) this.#clock = setTimeout(() => this.#end(worker, 'stopped'), idleMs).unref();
      return;
    }
    let left = Number.POSITIVE_INFINITY;
    for (const call of this.#calls.values()) left = Math.min(left, this.#timeLeft(call));
    if (left <= 0) this.#end(worker, 'late');
    else if (left < Number.POSITIVE_INFINITY) {
      this.#clock = setTimeout(() => this.#setClock(), Math.ceil(left)).unref();
    }
  }

  /** Time in ms until a call is late. The loading of the thread's modules does not count. */
  #timeLeft({ since, limitMs }: Pending): number {
    if (this.#readyAt === null) return Number.POSITIVE_INFINITY;
    return Math.max(since, this.#readyAt) + limitMs - performance.now();
  }

  #abort(id: number, { reason }: AbortSignal): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#end(this.#worker, 'other');
    call.reject(reason);
  }

  /** Drops a thread and fails its calls. Does nothing if another thread has taken its place. */
  #end(worker: Worker | null, kind: LossKind, cause?: unknown): void {
    if (worker === null || worker !== this.#worker) return;
    this.#worker = null;
    clearTimeout(this.#clock);
    this.#clock = undefined;
    void worker.terminate();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) {
      const isInnocent = kind === 'late' && this.#timeLeft(call) > 0;
      call.reject(this.#lossError(new ThreadLost(isInnocent ? 'other' : kind, cause)));
    }
  }

  #lossError(loss: ThreadLost): Error {
    return this.#options.lost?.(loss) ?? loss;
  }
}

/** Restores an error with its class, if that is one of the core. */
function toError({ name, message, fields }: SentError): Error {
  const error = new Error(message);
  const kind: unknown = Object.entries(coreErrors).find(([candidate]) => candidate === name)?.[1];
  if (typeof kind === 'function') Object.setPrototypeOf(error, kind.prototype);
  return Object.assign(error, fields, { name });
}
