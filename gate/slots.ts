import { TooManyWaits } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from './limits.ts';

/** Slots of parties, such as users or addresses. Each has the same number. */
export class Slots<Party = string> {
  readonly #most: number;
  readonly #taken = new Map<Party, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a slot. Returns the function that frees it, whose second call does nothing, or null where the party has no free slot. */
  take(party: Party): (() => void) | null {
    const taken = this.#taken.get(party) ?? 0;
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

/** Slots of connections, in all and by address. */
export type Admission = {
  /** Takes a slot. Returns the function that frees it, or the name of the limit reached. */
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

/** Returns the entry to the slots of waiting requests, which throws TooManyWaits where a user has none. */
export function createWaitSlots(onFull: () => void): (user: Id) => () => void {
  const most = limits.answers.waits;
  const slots = new Slots<Id>(most);
  return (user) => {
    const leave = slots.take(user);
    if (leave !== null) return leave;
    onFull();
    throw new TooManyWaits(`At most ${most} requests can wait at a time`, 1000);
  };
}
