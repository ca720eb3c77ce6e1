/** Times in ms after which a use counts half, and after which a party is forgotten. */
const halfLifeMs = 15_000;
const forgottenMs = 150_000;

/** Time in ms for which each party recently used a resource. Earlier use counts less and less. */
export class RecentUse<Party> {
  readonly #parties = new Map<Party, { ms: number; at: number }>();
  readonly #clock: () => number;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  of(party: Party): number {
    const found = this.#parties.get(party);
    return found === undefined ? 0 : found.ms * 2 ** ((found.at - this.#clock()) / halfLifeMs);
  }

  add(party: Party, ms: number): void {
    const now = this.#clock();
    const used = { ms: this.of(party) + ms, at: now };
    this.#parties.delete(party);
    this.#parties.set(party, used);
    // Parties are in the order of their last use, oldest first.
    for (const [other, { at }] of this.#parties) {
      if (now - at < forgottenMs) break;
      this.#parties.delete(other);
    }
  }
}
