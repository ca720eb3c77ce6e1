import type { Transferable } from 'node:worker_threads';
import { Thread } from '#adapters/threads/thread.ts';

/** Idle time after which a thread ends and frees its memory. */
const idleMs = 30_000;

const entry = new URL('./workshop-worker.ts', import.meta.url);

/** Thread of the workshop, which runs one job at a time. */
export class Bench<Job> {
  readonly heapBytes: number;
  /** Job that runs, or null. */
  job: Job | null = null;
  /** The thread's processor time, ms, when the job began and when it ended. */
  readonly #clock = new Float64Array(new SharedArrayBuffer(16));
  readonly #thread: Thread;

  constructor(heapBytes: number) {
    this.heapBytes = heapBytes;
    const heap = { maxOldGenerationSizeMb: heapBytes / 1024 / 1024, maxYoungGenerationSizeMb: 8 };
    this.#thread = new Thread({ entry, data: this.#clock.buffer, heap, idleMs });
  }

  /** Runs a job. Work that can be interrupted has `turnMs` of processor time. */
  run(name: string, args: unknown[], turnMs: number, transfer: Transferable[]): Promise<unknown> {
    this.#clock.fill(Number.POSITIVE_INFINITY);
    return this.#thread.call('run', [name, args, turnMs], { transfer });
  }

  /** Checks whether the job has begun: the modules of its kind are loaded before. */
  get hasBegun(): boolean {
    return Number.isFinite(this.#clock[0]);
  }

  /** Processor time of the job that ended last, ms. Null where its thread was lost. */
  get usedMs(): number | null {
    const [begun = 0, ended = 0] = this.#clock;
    return Number.isFinite(ended) ? ended - begun : null;
  }

  /** Processor time of the job that runs, ms. */
  async spentMs(): Promise<number> {
    const [begun = 0] = this.#clock;
    return Math.max(0, (await this.#thread.processorMs()) - begun);
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }
}
