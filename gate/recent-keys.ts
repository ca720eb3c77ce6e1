/**
 * Keys that are each remembered for some time. Holds up to `most` keys: when there are more, the key that was added first is forgotten
 * first.
 */
export class RecentKeys {
  /** Times in ms until which keys are remembered, sorted by when each key was last added. */
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

  /** Returns how long a key will still be remembered, in ms, or 0. */
  leftMs(key: string): number {
    return Math.max(0, (this.#until.get(key) ?? 0) - this.#now());
  }

  has(key: string): boolean {
    return this.leftMs(key) > 0;
  }
}
