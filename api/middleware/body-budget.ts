import { limits } from '#core/limits.ts';

type HolderBound = 'http.bodiesBytesPerUser' | 'http.bodiesBytesPerAddress';
type BudgetName = 'http.bodiesBytes' | HolderBound;

const { bodiesBytes, bodiesBytesPerUser, bodiesBytesPerAddress } = limits.http;
const mostOf: Record<HolderBound, number> = {
  'http.bodiesBytesPerUser': bodiesBytesPerUser,
  'http.bodiesBytesPerAddress': bodiesBytesPerAddress,
};

/** User, or address without a valid credential, and the bytes of its bodies. */
type Holder = { key: string; bound: HolderBound; bytes: number; shares: Set<BodyShare> };

/**
 * Bounds the memory of request bodies under way. At the bound of a holder its newest bytes are refused. At the bound of
 * the process the largest body of the largest holder is given up, so that large bodies cannot shut out small ones.
 */
export class BodyBudget {
  readonly #holders = new Map<string, Holder>();
  #bytes = 0;

  /** Begins a body without bytes. `giveUp` is called, once at most, if the body has to make room for others. */
  open(userId: number | null, address: string, giveUp: () => void): BodyShare {
    const key = userId === null ? `address ${address}` : `user ${userId}`;
    const bound = userId === null ? 'http.bodiesBytesPerAddress' : 'http.bodiesBytesPerUser';
    const holder: Holder = this.#holders.get(key) ?? { key, bound, bytes: 0, shares: new Set() };
    this.#holders.set(key, holder);
    const share: BodyShare = {
      bytes: 0,
      receiving: true,
      grow: (bytes) => this.#grow(holder, share, bytes),
      release: () => this.#release(holder, share),
      giveUp: () => {
        this.#release(holder, share);
        giveUp();
      },
    };
    holder.shares.add(share);
    return share;
  }

  #grow(holder: Holder, share: BodyShare, bytes: number): BudgetName | null {
    if (holder.bytes + bytes > mostOf[holder.bound]) return holder.bound;
    while (this.#bytes + bytes > bodiesBytes) {
      const victim = this.#largest();
      if (victim === null || victim === share) return 'http.bodiesBytes';
      victim.giveUp();
    }
    share.bytes += bytes;
    holder.bytes += bytes;
    this.#bytes += bytes;
    return null;
  }

  #release(holder: Holder, share: BodyShare): void {
    if (!holder.shares.delete(share)) return;
    holder.bytes -= share.bytes;
    this.#bytes -= share.bytes;
    if (holder.shares.size === 0) this.#holders.delete(holder.key);
  }

  /** Finds the largest body that is being received, of the holder with most bytes. */
  #largest(): BodyShare | null {
    let found: { share: BodyShare; of: number } | null = null;
    for (const { bytes, shares } of this.#holders.values()) {
      for (const share of shares) {
        if (!share.receiving) continue;
        if (found === null || bytes > found.of || (bytes === found.of && share.bytes > found.share.bytes)) {
          found = { share, of: bytes };
        }
      }
    }
    return found?.share ?? null;
  }
}

/** Part of the budget that one body uses. */
export type BodyShare = {
  bytes: number;
  /** Tells whether it may still be given up; set to false once all bytes have arrived. */
  receiving: boolean;
  /** Takes more bytes; returns the bound that refuses them, or null. */
  grow(bytes: number): BudgetName | null;
  /** Gives all bytes back. Repeating it is harmless. */
  release(): void;
  giveUp(): void;
};
