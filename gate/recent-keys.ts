/** Keys that are remembered for a time each, at most `most`: the one that was added first is forgotten first. */
export class RecentKeys {
  /** Times in ms until which keys are remembered, in the order of their last addition. */
  readonly #until = new Map<string, number>();
  readonly #most: number;
  readonly #now: () => number;

  constructor(most = Number.POSITIVE_INFINITY, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Remembers a key for `forMs` from now on. */
  add(key: string, forMs: number): void {
    const now = this.#now();
    this.#until.delete(key);
    this.#until.set(key, now + forMs);
    for (const [oldest, until] of this.#until) {
      if (until > now && this.#until.size <= this.#most) return;
      this.#until.delete(oldest);
    }
  }

  /** Returns the time in ms for which a key is still remembered, 0 for one that is not. */
  leftMs(key: string): number {
    return Math.max(0, (this.#until.get(key) ?? 0) - this.#now());
  }

  has(key: string): boolean {
    return this.leftMs(key) > 0;
  }
}
