import { setTimeout as wait } from 'node:timers/promises';
import type { Id } from '#core/ids.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { Slots } from './slots.ts';

/** Delays on purpose. They hold no place but those of their team. */
export class Delays {
  readonly #slots = new Slots<Id>(limits.mail.delays);
  readonly #limitReached: (name: LimitName) => void;

  constructor(limitReached: (name: LimitName) => void) {
    this.#limitReached = limitReached;
  }

  /** Waits until the time is over or `signal` aborts. Returns at once where too many sessions of the team wait. Never rejects. */
  async wait(team: Id, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const leave = this.#slots.take(team);
    if (leave === null) {
      this.#limitReached('mail.delays');
      return;
    }
    await wait(ms, undefined, signal && { signal }).catch(() => {});
    leave();
  }
}
