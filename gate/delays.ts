import { setTimeout as wait } from 'node:timers/promises';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { Slots } from './slots.ts';

/** Delays on purpose. They hold no place but those of their team. */
export class Delays {
  readonly #slots = new Slots<Id>(limits.mail.delays);
  #heldBytes = 0;
  readonly #limitReached: (name: LimitName) => void;

  constructor(limitReached: (name: LimitName) => void) {
    this.#limitReached = limitReached;
  }

  /**
   * Waits until the time is over or `signal` aborts. Returns at once where too many sessions of the team wait, or too much mail, to
   * which `bytes` are added. Never rejects.
   */
  async wait(team: Id, ms: number, signal: AbortSignal | undefined, bytes = 0): Promise<void> {
    const isHeld = this.#heldBytes + bytes <= limits.mail.delayedBytes;
    const leave = isHeld ? this.#slots.take(team) : null;
    if (leave === null) {
      this.#limitReached(isHeld ? 'mail.delays' : 'mail.delayedBytes');
      return;
    }
    this.#heldBytes += bytes;
    await wait(ms, undefined, signal && { signal }).catch(() => {});
    this.#heldBytes -= bytes;
    leave();
  }
}
