import type { Id } from '#core/ids.ts';

/** Time after which half of a use counts, and after which it is forgotten, ms. */
const halfLifeMs = 15_000;
const forgottenMs = 150_000;

/** Time in ms that users took of something lately. What a user took counts less and less. */
export class RecentUse {
  readonly #users = new Map<Id, { ms: number; at: number }>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  of(user: Id): number {
    const found = this.#users.get(user);
    return found === undefined ? 0 : found.ms * 2 ** ((found.at - this.#clock()) / halfLifeMs);
  }

  add(user: Id, ms: number): void {
    const now = this.#clock();
    const used = { ms: this.of(user) + ms, at: now };
    this.#users.delete(user);
    this.#users.set(user, used);
    // The user who took something the longest time ago comes first.
    for (const [id, { at }] of this.#users) {
      if (now - at < forgottenMs) break;
      this.#users.delete(id);
    }
  }
}
