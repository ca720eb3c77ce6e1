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
  /** Idle time in ms after which the thread ends and frees its memory. */
  idleMs?: number;
  /** Processor time in ms without a response or a pause after which a thread with calls ends. */
  stallMs?: number;
  /** Sends all calls from one turn of the event loop in one message, because a message costs more than a small call. */
  batched?: boolean;
  /**
   * Creates the error for the calls lost with the thread, in place of ThreadLost. Called once for the calls that the thread was ended
   * for, and once for all others.
   */
  lost?(loss: ThreadLost): Error;
};

export type CallOptions = {
  /** Buffers and ports that move to the thread. */
  transfer?: Transferable[];
  /**
   * Last argument, which is copied. All bytes in a message share a buffer, because moving a buffer costs more than copying a few bytes.
   */
  bytes?: Uint8Array;
  /** Time limit in ms, counted from when the thread is ready. A late call ends its thread. */
  limitMs?: number;
  /** Ends the thread if the signal aborts before the response, because running code cannot be interrupted otherwise. */
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
 * Replaces the functions of a settled call, which refer to its result. V8 copies a map's table after every few dozen changes. A replaced
 * table in the old generation keeps the calls that were pending then, until that generation is collected.
 */
const settled = { resolve() {}, reject() {} } satisfies Partial<Pending>;

/**
 * Worker thread that handles calls, several at the same time if its methods are asynchronous. The first call starts the thread, as does
 * the next call after the thread has ended. If the thread ends early, all of its calls fail. Core errors keep their class.
 */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #calls = new Map<number, Pending>();
  #worker: Worker | null = null;
  /** Calls in the next message, with their buffers and bytes. */
  #batch = new Batch();
  /** True once the thread has loaded its modules. */
  #isReady = false;
  /** Id of the thread's current call, 0 if unknown. */
  #current: Int32Array = new Int32Array(1);
  #watch: StallWatch | null = null;
  #lastId = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Number of pending calls. */
  get load(): number {
    return this.#calls.size;
  }

  /** Starts the thread before its first call. */
  start(): void {
    this.#worker ??= this.#begin();
  }

  async processorMs(): Promise<number> {
    // A finished thread has no processor time to read.
    const usage = await this.#worker?.cpuUsage().catch(() => undefined);
    return usage === undefined ? 0 : (usage.user + usage.system) / 1000;
  }

  /** Returns the result of a method in the thread. Throws its error, ThreadLost, or the signal's reason. */
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

  /** Ends the thread immediately. Its calls fail. */
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
    // Results that a thread sends before it crashes arrive before its exit event.
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
      if (call !== undefined) Object.assign(call, settled);
    }
    this.#watch?.seen();
    if (this.#calls.size === 0) this.#rest(worker);
  }

  /** Starts a call's time limit. The time to load the thread's modules does not count. */
  #time(call: Pending): void {
    this.#watch?.begin();
    if (call.limitMs === Number.POSITIVE_INFINITY) return;
    const worker = this.#worker;
    call.timer = setTimeout(() => this.#end(worker, 'late', undefined, call), call.limitMs).unref();
  }

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
   * Drops a thread and fails its calls. Does nothing if another thread has taken its place. The cause is the current call if known,
   * otherwise the late call, otherwise all calls.
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

/** Joins bytes by copying them into a separate buffer. */
function join(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Restores an error, with its class if it is a core error. */
function toError({ name, message, fields }: SentError): Error {
  const error = new Error(message);
  const kind: unknown = Object.entries(coreErrors).find(([candidate]) => candidate === name)?.[1];
  if (typeof kind === 'function') Object.setPrototypeOf(error, kind.prototype);
  return Object.assign(error, fields, { name });
}
