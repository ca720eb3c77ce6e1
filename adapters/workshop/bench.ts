import { constants, getPriority, setPriority } from 'node:os';
import type { Transferable } from 'node:worker_threads';
import { Thread } from '#adapters/threads/thread.ts';

/** Idle time in ms after which a thread ends and frees its memory. */
const idleMs = 30_000;

/** Niceness added to a thread with long jobs. The thread then gets a tenth of the time of others competing for the same core. */
const niceness = 10;

/** Workshop thread, which runs one job at a time. */
export class Bench<Job> {
  readonly heapBytes: number;
  job: Job | null = null;
  /** True once the thread has a low priority. The thread keeps it because an unprivileged process cannot raise a priority. */
  isLow = false;
  /** Processor time of the thread in ms at the job's start and end, and the thread's system id, if known. */
  readonly #clock = new Float64Array(new SharedArrayBuffer(24));
  readonly #thread: Thread;
  #lowered = 0;

  constructor(entry: URL, heapBytes: number) {
    this.heapBytes = heapBytes;
    const heap = { maxOldGenerationSizeMb: heapBytes / 1024 / 1024, maxYoungGenerationSizeMb: 8 };
    this.#thread = new Thread({ entry, data: this.#clock.buffer, heap, idleMs });
  }

  /** Runs a job. Interruptible work gets `turnMs` of processor time. */
  run(name: string, args: unknown[], turnMs: number, transfer: Transferable[]): Promise<unknown> {
    this.#clock.fill(Number.POSITIVE_INFINITY, 0, 2);
    return this.#thread.call('run', [name, args, turnMs], { transfer });
  }

  /** Checks whether the job has started. Before that, the thread loads the modules for jobs of its kind. */
  get hasBegun(): boolean {
    return Number.isFinite(this.#clock[0]);
  }

  /** Processor time of the last finished job, ms. Null if its thread was lost. */
  get usedMs(): number | null {
    const [begun = 0, ended = 0] = this.#clock;
    return Number.isFinite(ended) ? ended - begun : null;
  }

  /** Processor time of the current job, ms. */
  async spentMs(): Promise<number> {
    const [begun = 0] = this.#clock;
    return Math.max(0, (await this.#thread.processorMs()) - begun);
  }

  /** Lowers the thread's priority once it has started a job. */
  lower(): void {
    const [, , id = 0] = this.#clock;
    this.isLow = true;
    if (id === this.#lowered) return;
    this.#lowered = id;
    try {
      setPriority(id, Math.min(constants.priority.PRIORITY_LOW, getPriority(id) + niceness));
    } catch {
      // The thread has ended in the meantime.
    }
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }
}
