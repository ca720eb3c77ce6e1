import type { Payers } from '#core/access/payers.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';

const { heldBytes } = limits.smtp;

/** Place of an email in the room of `payer`. The email is in the room from `enter` to `leave`. */
export type MailPlace = { payer: Id; enter(): Promise<void>; leave(): void };

type Waiting = { bytes: number; enter(): void };

/**
 * Limits the memory for emails between the end of their content and their commit, because an email's derived data is several times as
 * large as the email. A team's payer has room for `smtp.heldBytes`, or for as many bytes as are still free ("Dynamic queue length
 * thresholds", Choudhury and Hahne 1998). The payer's other emails wait in order and occupy memory only for their content.
 */
export class MailRoom {
  readonly #payers: Pick<Payers, 'of'>;
  readonly #taken = new Map<Id, number>();
  readonly #waiting = new Map<Id, Waiting[]>();
  #free = limits.mail.roomBytes;

  constructor(payers: Pick<Payers, 'of'>) {
    this.#payers = payers;
  }

  /** Returns the place of an email that goes to some teams. Chooses the payer who has the fewest bytes in the room. */
  async placeOf(teams: Id[], sizeBytes: number): Promise<MailPlace> {
    const payers = await Promise.all([...new Set(teams)].map((team) => this.#payers.of(team)));
    const payer = payers.reduce((one, other) => (this.#heldBy(other) < this.#heldBy(one) ? other : one));
    // If the email is longer, the store already holds its body.
    const bytes = Math.min(sizeBytes, heldBytes);
    return {
      payer,
      enter: () => this.#enter(payer, bytes),
      leave: () => {
        this.#hold(payer, -bytes);
        this.#admit();
      },
    };
  }

  #enter(payer: Id, bytes: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(payer) ?? [];
    waiting.push({ bytes, enter: resolve });
    this.#waiting.set(payer, waiting);
    this.#admit();
    return promise;
  }

  /** Admits waiting emails that fit. */
  #admit(): void {
    for (const [payer, waiting] of this.#waiting) {
      for (
        let first = waiting[0];
        first !== undefined && this.#fits(payer, first.bytes);
        first = waiting[0]
      ) {
        waiting.shift();
        this.#hold(payer, first.bytes);
        first.enter();
      }
      if (waiting.length === 0) this.#waiting.delete(payer);
    }
  }

  #fits(payer: Id, bytes: number): boolean {
    return this.#heldBy(payer) + bytes <= Math.max(heldBytes, this.#free - bytes);
  }

  #heldBy(payer: Id): number {
    return this.#taken.get(payer) ?? 0;
  }

  #hold(payer: Id, bytes: number): void {
    const held = this.#heldBy(payer) + bytes;
    if (held > 0) this.#taken.set(payer, held);
    else this.#taken.delete(payer);
    this.#free -= bytes;
  }
}
