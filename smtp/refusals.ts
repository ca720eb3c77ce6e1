import type { limits } from '#core/limits.ts';
import type { Log } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';

type Ports = { log: Log; metrics: Pick<Metrics, 'limitReached'> };

/** Log fields of one refusal. */
type Told = {
  reply: string;
  mailFrom: string;
  rcptTo: string[];
  remoteAddress: string;
  sizeBytes?: number;
};

export type Bounds = Pick<typeof limits.smtp, 'refusedRecipients' | 'loggedMails' | 'dsnCharacters'>;

/**
 * Logs the refusals of one session in few lines: the first refused recipient and the first `loggedMails` refused mails at
 * once, and the number of all others in one line at the session's end.
 */
export class Refusals {
  readonly #log: Log;
  readonly #metrics: Ports['metrics'];
  readonly #bounds: Bounds;
  #recipients = 0;
  #quiet = 0;
  #mails = 0;
  #remoteAddress = '';

  constructor({ log, metrics }: Ports, bounds: Bounds) {
    this.#log = log;
    this.#metrics = metrics;
    this.#bounds = bounds;
  }

  /** Tells whether the session has as many refused recipients as it may have. */
  get exhausted(): boolean {
    return this.#recipients >= this.#bounds.refusedRecipients;
  }

  /** Counts a refused recipient. Without `isLogged` somebody else logs it. */
  recipient(told: Told, isLogged = true): void {
    this.#recipients += 1;
    this.#remoteAddress = told.remoteAddress;
    if (!isLogged) this.#quiet += 1;
    else if (this.#recipients - this.#quiet === 1)
      this.#log.info({ event: 'mail.refused', ...told }, 'a recipient was refused');
  }

  mail(told: Told): void {
    this.#mails += 1;
    this.#remoteAddress = told.remoteAddress;
    if (this.#mails <= this.#bounds.loggedMails)
      this.#log.info({ event: 'mail.refused', ...told }, 'a mail was not stored');
  }

  /** Logs the number of further refusals, at the end of the session. A second call logs nothing. */
  end(): void {
    const recipients = Math.max(0, this.#recipients - this.#quiet - 1);
    const mails = Math.max(0, this.#mails - this.#bounds.loggedMails);
    this.#recipients = this.#quiet = this.#mails = 0;
    if (recipients + mails === 0) return;
    if (mails > 0) this.#metrics.limitReached('smtp.loggedMails');
    this.#log.info(
      { event: 'mail.refused_more', recipients, mails, remoteAddress: this.#remoteAddress },
      'a session had further refusals',
    );
  }
}
