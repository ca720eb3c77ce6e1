import type { AcceptedRecipient } from '#core/delivery/accept-recipient.ts';
import { acceptOrCapture, type CapturePorts } from '#core/delivery/accept-recipient.ts';
import type { limits } from '#gate/limits.ts';
import type { Services } from '#setup/services.ts';
import { dsnTextLength } from './envelope.ts';
import { failed, type Reply, refusedRecipient, replies } from './replies.ts';
import type { SMTPServerAddress, SMTPServerSession } from './smtp-server-adapter.ts';
import { submitterOf } from './submitters.ts';

export type RecipientServices = CapturePorts & Pick<Services, 'log' | 'metrics' | 'everybody'>;

/** Recipients of the SMTP transactions under way. */
export type Recipients = {
  /** Looks up an address given to RCPT. Returns null, or the reply that refuses it. Never rejects. */
  resolve(address: SMTPServerAddress, session: SMTPServerSession): Promise<Reply | null>;
  /** Returns the transaction's accepted recipients in their order. A repeated recipient occurs once. */
  accepted(session: SMTPServerSession): AcceptedRecipient[];
  /** Refusals of the session, over all of its transactions. */
  refusals(session: SMTPServerSession): Refusals;
};

export function createRecipients(services: RecipientServices, limits: RecipientLimits): Recipients {
  const found = new WeakMap<SMTPServerAddress, AcceptedRecipient>();
  const sessions = new WeakMap<SMTPServerSession, Refusals>();
  const refusals = (session: SMTPServerSession): Refusals => {
    const known = sessions.get(session) ?? new Refusals(services, limits);
    sessions.set(session, known);
    return known;
  };
  return {
    refusals,
    async resolve(address, session) {
      const refused = (reply: Reply, isLogged = true): Reply => {
        const { envelope, remoteAddress } = session;
        const past = refusals(session);
        const { exhausted } = past;
        const mailFrom = envelope.mailFrom ? envelope.mailFrom.address : '';
        past.recipient(
          {
            reply: `${reply.code} ${reply.text}`,
            mailFrom,
            rcptTo: [address.address],
            remoteAddress,
          },
          isLogged,
        );
        if (!exhausted) return reply;
        services.metrics.limitReached('smtp.refusedRecipients');
        return replies.tooManyRefused;
      };
      if (dsnTextLength(session.envelope, address) > limits.dsnCharacters) {
        services.metrics.limitReached('smtp.dsnCharacters');
        return replies.dsnTooLong;
      }
      try {
        const verdict = await acceptOrCapture(
          services,
          address.address,
          declaredSize(session),
          submitterOf(session) ?? services.everybody,
        );
        if ('refusal' in verdict) {
          // A full account has one line a minute, by `fullness`.
          const isLogged = verdict.refusal !== 'no-room';
          return refused(refusedRecipient(verdict.refusal, verdict.address), isLogged);
        }
        found.set(address, verdict);
        return null;
      } catch (error) {
        if (!refusals(session).exhausted)
          services.log.error({ err: error }, 'a recipient could not be looked up');
        return refused(failed(error));
      }
    },
    accepted: ({ envelope }) =>
      envelope.rcptTo.flatMap((address) => {
        const recipient = found.get(address);
        return recipient ? [recipient] : [];
      }),
  };
}

/** Returns the SIZE that MAIL declared (RFC 1870), in bytes, or 0 without one. */
function declaredSize({ envelope }: SMTPServerSession): number {
  const args = envelope.mailFrom ? envelope.mailFrom.args : false;
  return args && typeof args.SIZE === 'string' ? Number(args.SIZE) : 0;
}

/** Log fields of one refusal. */
type RefusalLine = {
  reply: string;
  mailFrom: string;
  rcptTo: string[];
  remoteAddress: string | null;
  sizeBytes?: number;
};

type RecipientLimits = Pick<typeof limits.smtp, 'refusedRecipients' | 'loggedMails' | 'dsnCharacters'>;

/**
 * Logs the refusals of one session in few lines: the first refused recipient and the first `loggedMails` refused mails at
 * once, and the number of all others in one line at the session's end.
 */
export class Refusals {
  readonly #log: Services['log'];
  readonly #metrics: Services['metrics'];
  readonly #limits: RecipientLimits;
  #recipients = 0;
  #quiet = 0;
  #mails = 0;
  #remoteAddress: string | null = null;

  constructor({ log, metrics }: Pick<Services, 'log' | 'metrics'>, limits: RecipientLimits) {
    this.#log = log;
    this.#metrics = metrics;
    this.#limits = limits;
  }

  /** True if the session has as many refused recipients as it may have. */
  get exhausted(): boolean {
    return this.#recipients >= this.#limits.refusedRecipients;
  }

  /** Counts a refused recipient. Without `isLogged` somebody else logs it. */
  recipient(line: RefusalLine, isLogged = true): void {
    this.#recipients += 1;
    this.#remoteAddress = line.remoteAddress;
    if (!isLogged) this.#quiet += 1;
    else if (this.#recipients - this.#quiet === 1)
      this.#log.info({ event: 'mail.refused', ...line }, 'a recipient was refused');
  }

  mail(line: RefusalLine): void {
    this.#mails += 1;
    this.#remoteAddress = line.remoteAddress;
    if (this.#mails <= this.#limits.loggedMails)
      this.#log.info({ event: 'mail.refused', ...line }, 'a mail was not stored');
  }

  /** Logs the number of further refusals, at the end of the session. A second call logs nothing. */
  end(): void {
    const recipients = Math.max(0, this.#recipients - this.#quiet - 1);
    const mails = Math.max(0, this.#mails - this.#limits.loggedMails);
    this.#recipients = this.#quiet = this.#mails = 0;
    if (recipients + mails === 0) return;
    if (mails > 0) this.#metrics.limitReached('smtp.loggedMails');
    this.#log.info(
      { event: 'mail.refused_more', recipients, mails, remoteAddress: this.#remoteAddress },
      'a session had further refusals',
    );
  }
}
