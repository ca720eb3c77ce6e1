import { setTimeout as wait } from 'node:timers/promises';
import type { Payers } from '#core/access/payers.ts';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { Slots } from './slots.ts';

/** Simulated delays. A delay uses a slot of its team's payer, and each payer leaves a third of the free space to others' mail. */
export class Delays {
  readonly #slots = new Slots<Id>(limits.mail.delays);
  readonly #held = new Map<Id, number>();
  #free = limits.mail.delayedBytes;
  readonly #payers: Pick<Payers, 'of'>;
  readonly #limitReached: (name: LimitName) => void;

  constructor(payers: Pick<Payers, 'of'>, limitReached: (name: LimitName) => void) {
    this.#payers = payers;
    this.#limitReached = limitReached;
  }

  /**
   * Waits until the time is up or `signal` aborts. Returns immediately if too many of the payer's sessions are already waiting, or if the
   * payer's waiting mail including `bytes` is too large. Never rejects.
   */
  async wait(team: Id, ms: number, signal: AbortSignal | undefined, bytes = 0): Promise<void> {
    const payer = await this.#payers.of(team);
    const held = this.#held.get(payer) ?? 0;
    const isHeld = bytes === 0 || held + bytes <= 2 * (this.#free - bytes);
    const leave = isHeld ? this.#slots.take(payer) : null;
    if (leave === null) {
      this.#limitReached(isHeld ? 'mail.delays' : 'mail.delayedBytes');
      return;
    }
    this.#hold(payer, bytes);
    await wait(ms, undefined, signal && { signal }).catch(() => {});
    this.#hold(payer, -bytes);
    leave();
  }

  #hold(payer: Id, bytes: number): void {
    const held = (this.#held.get(payer) ?? 0) + bytes;
    if (held > 0) this.#held.set(payer, held);
    else this.#held.delete(payer);
    this.#free -= bytes;
  }
}
