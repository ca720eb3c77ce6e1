import { type Transferable, Worker } from 'node:worker_threads';
import { receiveError, type SentError } from '#adapters/stores/sqlite/errors.ts';
import { StoreUnavailable } from '#core/errors.ts';

/** Messages to and from a thread of the store. A request with `end` ends the thread. */
export type Request = { call: number; noun: string; method: string; args: unknown[] } | { end: true };
export type Answer = { call: number } & ({ result: unknown } | { error: SentError });

type Waiting = { resolve(result: unknown): void; reject(error: Error): void };

/** Worker thread that answers one call after the other. If it dies, its calls fail, and the next call starts it anew. */
export class WorkerThread {
  readonly #script: URL;
  readonly #file: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #lastCall = 0;
  #closed = false;

  constructor(script: URL, file: string) {
    this.#script = script;
    this.#file = file;
  }

  /** Returns the result of `noun.method(...args)` in the thread. Throws the named errors of the core. */
  call(noun: string, method: string, args: unknown[], transfer: Transferable[] = []): Promise<unknown> {
    if (this.#closed) return Promise.reject(new StoreUnavailable('The store is closed'));
    const worker = this.#running();
    this.#lastCall += 1;
    const call = this.#lastCall;
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      worker.postMessage({ call, noun, method, args } satisfies Request, transfer);
    });
  }

  /** Ends the thread after its pending calls. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ end: true } satisfies Request);
    await ended;
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = new Worker(this.#script, { workerData: { file: this.#file } });
    this.#worker = worker;
    let cause: unknown;
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      this.#worker = null;
      for (const { reject } of this.#waiting.values()) {
        reject(new StoreUnavailable('A thread of the store ended', { cause }));
      }
      this.#waiting.clear();
    });
    return worker;
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.call);
    this.#waiting.delete(answer.call);
    if ('error' in answer) waiting?.reject(receiveError(answer.error));
    else waiting?.resolve(answer.result);
  }
}
