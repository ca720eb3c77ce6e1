import { FairQueue } from './fair-queue.ts';

/**
 * Shares the main thread among a listener's dialogues. Together, the dialogues run for up to `turnMs` milliseconds in one turn of the
 * event loop. They continue in the next turn, one client address after another.
 */
export class Turns {
  readonly #turnMs: number;
  readonly #onWait: () => void;
  readonly #waiting = new FairQueue<() => void>();
  /** Time at which the dialogues must pause, by `performance.now()`. Null until a dialogue runs in this turn of the event loop. */
  #endsAt: number | null = null;

  constructor(turnMs: number, onWait: () => void) {
    this.#turnMs = turnMs;
    this.#onWait = onWait;
  }

  /** Checks whether a running dialogue may run another command. */
  hasTime(): boolean {
    const now = performance.now();
    if (this.#endsAt === null) {
      this.#endsAt = now + this.#turnMs;
      setImmediate(() => this.#next());
    }
    return now < this.#endsAt;
  }

  /** Checks whether an idle dialogue may run immediately, because time is left and no other dialogue is waiting. */
  isFree(): boolean {
    return this.hasTime() && this.#waiting.size === 0;
  }

  /** Calls `resume` in a later turn of the event loop. */
  wait(address: string, resume: () => void): void {
    this.#onWait();
    this.#waiting.push(address, resume);
    this.hasTime();
  }

  #next(): void {
    this.#endsAt = null;
    while (this.#waiting.size > 0 && this.hasTime()) this.#waiting.shift()?.();
  }
}
