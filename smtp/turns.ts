import { FairQueue } from '#core/fairness/fair-queue.ts';

/**
 * Shares the main thread among the dialogues of a listener: together they run for at most `turnMs` in one turn of the
 * event loop, and continue in turn by client address in the next.
 */
export class Turns {
  readonly #turnMs: number;
  readonly #onWait: () => void;
  readonly #waiting = new FairQueue<() => void>();
  /** Null while no dialogue has run in this turn of the event loop. */
  #endsAt: number | null = null;

  constructor(turnMs: number, onWait: () => void) {
    this.#turnMs = turnMs;
    this.#onWait = onWait;
  }

  /** Tells whether a running dialogue may run another command. */
  hasTime(): boolean {
    const now = performance.now();
    if (this.#endsAt === null) {
      this.#endsAt = now + this.#turnMs;
      setImmediate(() => this.#next());
    }
    return now < this.#endsAt;
  }

  /** Tells whether a dialogue that was idle may run at once: nobody came before it. */
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
