import type { Worker } from 'node:worker_threads';

/** Detects a thread that works without pausing and returns no results. */
export class StallWatch {
  readonly #thread: Worker;
  readonly #stallMs: number;
  readonly #onStall: () => void;
  #timer: NodeJS.Timeout | undefined;
  #idle = 0;
  /** Processor time (ms) when the thread last responded or paused. Null if it has not been read since then. */
  #since: number | null = null;

  /** `stallMs` is processor time. */
  constructor(thread: Worker, stallMs: number, onStall: () => void) {
    this.#thread = thread;
    this.#stallMs = stallMs;
    this.#onStall = onStall;
  }

  begin(): void {
    if (this.#timer !== undefined) return;
    this.seen();
    this.#timer = setInterval(() => void this.#look(), this.#stallMs / 4).unref();
  }

  /** Records that the thread has responded or paused. */
  seen(): void {
    this.#since = null;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    const { idle } = this.#thread.performance.eventLoopUtilization();
    if (idle !== this.#idle) this.seen();
    this.#idle = idle;
    // A finished thread has no processor time to read.
    const usage = await this.#thread.cpuUsage().catch(() => null);
    if (usage === null || this.#timer === undefined) return;
    const spentMs = (usage.user + usage.system) / 1000;
    this.#since ??= spentMs;
    if (spentMs - this.#since <= this.#stallMs) return;
    this.end();
    this.#onStall();
  }
}
