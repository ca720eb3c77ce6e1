import { TooManyWaits } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Waiter } from '#core/messages/waits.ts';

/** Slots for parties, such as users or addresses. Each party has the same number of slots. */
export class Slots<Party = string> {
  readonly #most: number;
  readonly #taken = new Map<Party, number>();

  constructor(most: number) {
    this.#most = most;
  }

  taken(party: Party): number {
    return this.#taken.get(party) ?? 0;
  }

  /** Takes a slot. Returns a function that frees the slot; calling it again does nothing. Returns null if the party has no free slot. */
  take(party: Party): (() => void) | null {
    const taken = this.taken(party);
    if (taken >= this.#most) return null;
    this.#taken.set(party, taken + 1);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const left = (this.#taken.get(party) ?? 1) - 1;
      if (left === 0) this.#taken.delete(party);
      else this.#taken.set(party, left);
    };
  }
}

/** Slots for connections, limited in total and by address. */
export type Admission = {
  /** Takes a slot. Returns a function that frees it, or the name of the limit that was reached. */
  enter(address: string): (() => void) | 'smtp.connections' | 'smtp.connectionsPerAddress';
};

export function createAdmission(total: number, perAddress: number): Admission {
  const all = new Slots(total);
  const byAddress = new Slots(perAddress);
  return {
    enter(address) {
      const leave = all.take('');
      if (leave === null) return 'smtp.connections';
      const leaveAddress = byAddress.take(address);
      if (leaveAddress !== null) {
        return () => {
          leave();
          leaveAddress();
        };
      }
      leave();
      return 'smtp.connectionsPerAddress';
    },
  };
}

/**
 * Returns a function that takes a slot for a waiting request. A user has `most` slots. If all of them are taken, a key that uses less
 * than a tenth of them may still wait, up to twice as many waits in total, so a single job cannot block others. Throws TooManyWaits.
 */
export function createWaitSlots(most: number, onFull: () => void): (waiter: Waiter) => () => void {
  const users = new Slots<Id>(2 * most);
  const keys = new Slots(2 * most);
  const share = Math.ceil(most / 10);
  return ({ userId, keyId }) => {
    const key = `${userId}:${keyId}`;
    const isFree = users.taken(userId) < most || keys.taken(key) < share;
    const leave = isFree ? users.take(userId) : null;
    if (leave === null) {
      onFull();
      throw new TooManyWaits(`At most ${most} requests can wait at a time`, 1000);
    }
    const leaveKey = keys.take(key);
    return () => {
      leave();
      leaveKey?.();
    };
  };
}
