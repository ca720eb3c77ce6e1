import { limits } from '#core/limits.ts';

type HolderBound = 'http.bodiesBytesPerUser' | 'http.bodiesBytesPerAddress';
type BudgetName = 'http.bodiesBytes' | HolderBound;

const { bodyBytes, bodiesBytes, bodiesBytesPerUser, bodiesBytesPerAddress } = limits.http;
const mostOf: Record<HolderBound, number> = {
  'http.bodiesBytesPerUser': bodiesBytesPerUser,
  'http.bodiesBytesPerAddress': bodiesBytesPerAddress,
};

/** Part of the budget that one body uses. */
export type BodyShare = {
  /** Takes more bytes. Returns the bound that refuses them, or null. */
  grow(bytes: number): BudgetName | null;
  /** Gives all bytes back. Repeating it is harmless. */
  release(): void;
};

/**
 * Bounds the memory of request bodies under way. A holder is a user, or an address without a valid credential. It may have its
 * own bound at most, and beyond `bodyBytes` twice the bytes that are free, so that each holder of large bodies leaves a third of
 * what was free to others ("Dynamic queue length thresholds", Choudhury and Hahne 1998).
 */
export class BodyBudget {
  readonly #holders = new Map<string, number>();
  #free = bodiesBytes;

  /** Begins a body without bytes. */
  open(userId: number | null, address: string): BodyShare {
    const holder = userId === null ? `address ${address}` : `user ${userId}`;
    const bound = userId === null ? 'http.bodiesBytesPerAddress' : 'http.bodiesBytesPerUser';
    let share = 0;
    return {
      grow: (bytes) => {
        const wanted = (this.#holders.get(holder) ?? 0) + bytes;
        if (wanted > mostOf[bound]) return bound;
        if (wanted > Math.max(bodyBytes, 2 * (this.#free - bytes))) return 'http.bodiesBytes';
        share += bytes;
        this.#add(holder, bytes);
        return null;
      },
      release: () => {
        this.#add(holder, -share);
        share = 0;
      },
    };
  }

  #add(holder: string, bytes: number): void {
    const held = (this.#holders.get(holder) ?? 0) + bytes;
    if (held > 0) this.#holders.set(holder, held);
    else this.#holders.delete(holder);
    this.#free -= bytes;
  }
}
