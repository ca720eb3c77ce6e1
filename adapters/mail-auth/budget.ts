import type { LimitName } from '#core/limits.ts';

/**
 * Processor time of the checks of one mail. It counts from each `mark` to the end of that turn of the event loop, and so
 * may count work of other mails in the same turn.
 */
export class CheckBudget {
  /** Limits that the checks reached. */
  readonly reached = new Set<LimitName>();
  readonly #limitMs: number;
  #spentMs = 0;
  #since: number | null = null;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Notes that work begins in this turn of the event loop. */
  mark(): void {
    if (this.#since !== null) return;
    this.#since = threadMs();
    setImmediate(() => {
      if (this.#since !== null) this.#spentMs += threadMs() - this.#since;
      this.#since = null;
    });
  }

  get exhausted(): boolean {
    const running = this.#since === null ? 0 : threadMs() - this.#since;
    return this.#spentMs + running > this.#limitMs;
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
