/** Keys that are forgotten some time after they were added last. */
export class Expiring {
  readonly #ms: number;
  /** Times at which keys are forgotten, the earliest first. */
  readonly #ends = new Map<string, number>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(key: string): void {
    const now = performance.now();
    for (const [other, end] of this.#ends) {
      if (end > now) break;
      this.#ends.delete(other);
    }
    this.#ends.delete(key);
    this.#ends.set(key, now + this.#ms);
  }

  has(key: string): boolean {
    return (this.#ends.get(key) ?? 0) > performance.now();
  }
}
