import { limits } from '#core/limits.ts';

type HolderBound = 'http.bodiesBytesPerUser' | 'http.bodiesBytesPerAddress';
type BudgetName = 'http.bodiesBytes' | HolderBound;

const { bodyBytes, bodiesBytes, bodiesBytesPerUser, bodiesBytesPerAddress } = limits.http;
const mostOf: Record<HolderBound, number> = {
  'http.bodiesBytesPerUser': bodiesBytesPerUser,
  'http.bodiesBytesPerAddress': bodiesBytesPerAddress,
};

/** Part of the memory budget that one request body uses. */
export type BodyShare = {
  /** Reserves more bytes. Returns the limit that does not allow them, or null. */
  grow(bytes: number): BudgetName | null;
  /** Releases all bytes. Safe to repeat. */
  release(): void;
};

/**
 * Limits the memory for request bodies that are being received. A holder is a user or, for requests without a valid credential, an
 * address. A holder may use up to its own limit, but more than `bodyBytes` only up to twice the free bytes, so each holder of large
 * bodies leaves a third of the free space to others ("Dynamic queue length thresholds", Choudhury and Hahne 1998).
 */
export class BodyBudget {
  readonly #holders = new Map<string, number>();
  #free = bodiesBytes;

  /** Starts a body that has no bytes yet. */
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
