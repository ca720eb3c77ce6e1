import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import * as coreErrors from '#core/errors.ts';
import type { FromThread, SentError, ToThread } from './serve.ts';
import { StallWatch } from './stall-watch.ts';
import { type LossKind, ThreadLost } from './thread-lost.ts';

export type ThreadOptions = {
  /** Module that calls `serve`. */
  entry: URL;
  /** `workerData` of the thread. */
  data?: unknown;
  heap?: ResourceLimits;
  /** Time in ms without a call after which the thread ends and frees its memory. */
  idleMs?: number;
  /** Processor time in ms without an answer or a rest after which a thread with calls ends. */
  stallMs?: number;
  /** Sends the calls of a turn of the event loop in one message, which costs more than a small call. */
  batched?: boolean;
  /**
   * Error of the calls that are lost with the thread, in place of ThreadLost. Called once for those that it ended for, and once
   * for the others.
   */
  lost?(loss: ThreadLost): Error;
};

export type CallOptions = {
  /** Buffers and ports that move to the thread. */
  transfer?: Transferable[];
  /** Last argument, copied. Bytes of a message share a buffer: the move of a buffer costs more than a copy of few bytes. */
  bytes?: Uint8Array;
  /** Longest time in ms, once the thread is ready. A thread with a late call ends. */
  limitMs?: number;
  /** Ends the thread if it aborts before the answer: running code cannot be interrupted otherwise. */
  signal?: AbortSignal;
};

class Batch {
  readonly calls: Extract<ToThread, { calls: unknown }>['calls'] = [];
  readonly transfer: Transferable[] = [];
  readonly bytes: Uint8Array[] = [];
}

type Pending = {
  resolve(result: unknown): void;
  reject(error: unknown): void;
  limitMs: number;
  timer?: NodeJS.Timeout;
};

/**
 * Worker thread that answers calls, several at a time if its methods are asynchronous. The first call starts it, and so does
 * the next one after its end. If it ends early, all of its calls fail. Errors of the core keep their class.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #calls = new Map<number, Pending>();
  #worker: Worker | null = null;
  /** Calls that the next message takes, and what goes with them. */
  #batch = new Batch();
  /** True once the thread has loaded its modules. */
  #isReady = false;
  /** Id of the call that the thread works on, 0 where it is not known. */
  #current: Int32Array = new Int32Array(1);
  #watch: StallWatch | null = null;
  #lastId = 0;
  #idleTimer: NodeJS.Timeout | undefined;
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

  /** Returns the processor time that the thread has taken, ms. */
  async processorMs(): Promise<number> {
    // A thread that has ended has none.
    const usage = await this.#worker?.cpuUsage().catch(() => undefined);
    return usage === undefined ? 0 : (usage.user + usage.system) / 1000;
  }

  /** Returns the result of a method in the thread. Throws its error, ThreadLost, or the reason of the signal. */
  call<Result>(method: string, args: unknown[], options: CallOptions = {}): Promise<Result> {
    if (this.#closed) return Promise.reject(this.#lossError(new ThreadLost('stopped')));
    const { transfer = [], bytes, limitMs = Number.POSITIVE_INFINITY, signal } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = ++this.#lastId;
    this.#worker ??= this.#begin();
    for (const one of transfer) this.#batch.transfer.push(one);
    if (bytes !== undefined) this.#batch.bytes.push(bytes);
    const call = { id, method, args };
    const count = this.#batch.calls.push(bytes === undefined ? call : { ...call, size: bytes.length });
    if (!this.#options.batched) this.#post();
    else if (count === 1) setImmediate(() => this.#post());
    return new Promise<unknown>((resolve, reject) => {
      const pending = { resolve, reject, limitMs };
      this.#calls.set(id, pending);
      signal?.addEventListener('abort', () => this.#abort(id, signal), { once: true });
      clearTimeout(this.#idleTimer);
      if (this.#isReady) this.#time(pending);
    }) as Promise<Result>;
  }

  /** Ends the thread after its pending calls. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === null) return;
    this.#post();
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

  #post(): void {
    const { calls, transfer, bytes } = this.#batch;
    if (calls.length === 0) return;
    this.#batch = new Batch();
    if (bytes.length === 0) {
      this.#worker?.postMessage({ calls } satisfies ToThread, transfer);
      return;
    }
    const joined = join(bytes);
    this.#worker?.postMessage({ calls, bytes: joined } satisfies ToThread, [joined.buffer, ...transfer]);
  }

  #begin(): Worker {
    const { entry, data, heap, stallMs } = this.#options;
    const worker = new Worker(entry, {
      workerData: data,
      ...(heap === undefined ? {} : { resourceLimits: heap }),
    });
    this.#isReady = false;
    this.#current = new Int32Array(1);
    if (stallMs !== undefined) {
      this.#watch = new StallWatch(worker, stallMs, () => this.#end(worker, 'stalled'));
    }
    worker.on('message', (message: FromThread) => this.#receive(worker, message));
    let fault: unknown;
    worker.on('error', (error) => {
      fault = error;
    });
    // Answers that the thread sent before it broke come before its exit.
    worker.on('exit', () => {
      const isFull = fault instanceof Error && 'code' in fault && fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#end(worker, isFull ? 'memory' : 'broken', fault);
    });
    return worker;
  }

  #receive(worker: Worker, message: FromThread): void {
    if (worker !== this.#worker) return;
    if ('current' in message) {
      this.#isReady = true;
      this.#current = message.current;
      for (const call of this.#calls.values()) this.#time(call);
      if (this.#calls.size === 0) this.#rest(worker);
      return;
    }
    for (const answer of message.answers) {
      const call = this.#calls.get(answer.id);
      this.#calls.delete(answer.id);
      clearTimeout(call?.timer);
      if ('error' in answer) call?.reject(toError(answer.error));
      else call?.resolve(answer.result);
    }
    this.#watch?.seen();
    if (this.#calls.size === 0) this.#rest(worker);
  }

  /** Begins the time of a call. The loading of the thread's modules does not count. */
  #time(call: Pending): void {
    this.#watch?.begin();
    if (call.limitMs === Number.POSITIVE_INFINITY) return;
    const worker = this.#worker;
    call.timer = setTimeout(() => this.#end(worker, 'late', undefined, call), call.limitMs).unref();
  }

  /** Ends the thread after its idle time. */
  #rest(worker: Worker): void {
    this.#watch?.end();
    clearTimeout(this.#idleTimer);
    const { idleMs } = this.#options;
    if (idleMs !== undefined)
      this.#idleTimer = setTimeout(() => this.#end(worker, 'stopped'), idleMs).unref();
  }

  #abort(id: number, { reason }: AbortSignal): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#calls.delete(id);
    this.#end(this.#worker, 'other');
    call.reject(reason);
  }

  /**
   * Drops a thread and fails its calls. Does nothing if another thread has taken its place. It ends for the current call, where that is
   * known, else for the one that is late, or for all.
   */
  #end(worker: Worker | null, kind: LossKind, cause?: unknown, late?: Pending): void {
    if (worker === null || worker !== this.#worker) return;
    const calls = [...this.#calls.values()];
    const culprit = this.#calls.get(Atomics.load(this.#current, 0)) ?? late;
    const isStop = kind === 'stopped' || kind === 'other';
    this.#worker = null;
    this.#calls.clear();
    this.#batch = new Batch();
    clearTimeout(this.#idleTimer);
    this.#watch?.end();
    void worker.terminate();
    const errors = new Map<LossKind, Error>();
    for (const call of calls) {
      clearTimeout(call.timer);
      const own = isStop || culprit === undefined || call === culprit ? kind : 'other';
      const error = errors.get(own) ?? this.#lossError(new ThreadLost(own, cause));
      errors.set(own, error);
      call.reject(error);
    }
  }

  #lossError(loss: ThreadLost): Error {
    return this.#options.lost?.(loss) ?? loss;
  }
}

/** Copies bytes into a buffer of their own. */
function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Restores an error with its class, if that is one of the core. */
function toError({ name, message, fields }: SentError): Error {
  const error = new Error(message);
  const kind: unknown = Object.entries(coreErrors).find(([candidate]) => candidate === name)?.[1];
  if (typeof kind === 'function') Object.setPrototypeOf(error, kind.prototype);
  return Object.assign(error, fields, { name });
}
