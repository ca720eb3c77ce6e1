import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import type { Id } from '#core/ids.ts';
import type { limits } from '#core/limits.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import type { Services } from '#setup/services.ts';
import type { Reply } from './replies.ts';
import { markTold, type SMTPServerSession } from './session.ts';

export type RefusalServices = Pick<Services, 'log' | 'metrics' | 'clock'> & {
  refusals: Pick<Services['refusals'], 'note'>;
};

/** Sender of what is refused, as its dialogue told it. */
type Sender = {
  remoteAddress: string | null;
  helo: string | null;
  mailFrom: string | null;
  submitter: Pick<Submitter, 'kind' | 'name'> | null;
};

/** Reply as a refusal tells it. A connection that ended on purpose has no code. */
type Told = Omit<Reply, 'code'> & Partial<Pick<Reply, 'code'>>;

/** Notes a refusal for the team that it concerns. `markTold` keeps that this was done, if it is a reply to be sent. */
export function noteRefusal(
  { refusals, clock }: Pick<RefusalServices, 'refusals' | 'clock'>,
  { submitter, ...sender }: Sender,
  { team, stage, reply, rcptTo = [] }: { team: Id; stage: RefusalStage; reply: Told; rcptTo?: string[] },
): void {
  refusals.note({
    ...{ team, at: clock(), stage, rcptTo, reason: reply.reason ?? 'try-again' },
    reply: reply.code === undefined ? reply.text : `${reply.code} ${reply.text}`,
    ...sender,
    authenticatedAs: submitter && { kind: submitter.kind, name: submitter.name },
  });
}

/** Refused recipient. `team`: the one that it concerns, null for none. */
type RefusedRecipient = Sender & { remoteAddress: string; address: string; team: Id | null; reply: Reply };

/**
 * Refusals of one session, over all of its transactions. Notes each for its team, and logs them in few lines: the first refused
 * recipient and the first `loggedMails` refused mails at once, and the number of all others in one line at the session's end.
 */
export class Refusals {
  readonly #session: SMTPServerSession;
  readonly #services: RefusalServices;
  readonly #limits: Pick<typeof limits.smtp, 'refusedRecipients' | 'loggedMails'>;
  #recipients = 0;
  #quiet = 0;
  #mails = 0;
  #remoteAddress: string | null = null;

  constructor(
    session: SMTPServerSession,
    services: RefusalServices,
    bounds: Pick<typeof limits.smtp, 'refusedRecipients' | 'loggedMails'>,
  ) {
    this.#session = session;
    this.#services = services;
    this.#limits = bounds;
  }

  /** True if the session has as many refused recipients as it may have. */
  get exhausted(): boolean {
    return this.#recipients >= this.#limits.refusedRecipients;
  }

  /** Counts a refused recipient. Without `isLogged` somebody else logs it. */
  recipient({ address, team, reply, ...sender }: RefusedRecipient, isLogged = true): void {
    const { mailFrom, remoteAddress } = sender;
    this.#recipients += 1;
    this.#remoteAddress = remoteAddress;
    if (team !== null) {
      markTold(this.#session, reply);
      noteRefusal(this.#services, sender, { team, stage: 'rcpt', reply, rcptTo: [address] });
    }
    const line = { reply: `${reply.code} ${reply.text}`, mailFrom, rcptTo: [address], remoteAddress };
    if (!isLogged) this.#quiet += 1;
    else if (this.#recipients - this.#quiet === 1)
      this.#services.log.info({ event: 'mail.refused', ...line }, 'a recipient was refused');
  }

  /** Notes a mail for the teams of its recipients, each with its own ones. Without `isLogged` somebody else logs it. */
  mail(mail: ArrivedMail, sizeBytes: number, reply: Reply, isLogged = true): void {
    const { mailFrom, remoteAddress, recipients } = mail;
    markTold(this.#session, reply);
    for (const [team, own] of Map.groupBy(recipients, ({ owner }) => owner)) {
      const rcptTo = own.map(({ address }) => address);
      noteRefusal(this.#services, senderOf(mail), { team, stage: 'end', reply, rcptTo });
    }
    if (!isLogged) return;
    this.#mails += 1;
    this.#remoteAddress = remoteAddress;
    if (this.#mails > this.#limits.loggedMails) return;
    const rcptTo = recipients.map(({ address }) => address);
    const line = { reply: `${reply.code} ${reply.text}`, sizeBytes, mailFrom, rcptTo, remoteAddress };
    this.#services.log.info({ event: 'mail.refused', ...line }, 'a mail was not stored');
  }

  /** Logs the number of further refusals, at the end of the session. A second call logs nothing. */
  end(): void {
    const recipients = Math.max(0, this.#recipients - this.#quiet - 1);
    const mails = Math.max(0, this.#mails - this.#limits.loggedMails);
    this.#recipients = this.#quiet = this.#mails = 0;
    if (recipients + mails === 0) return;
    if (mails > 0) this.#services.metrics.limitReached('smtp.loggedMails');
    this.#services.log.info(
      { event: 'mail.refused_more', recipients, mails, remoteAddress: this.#remoteAddress },
      'a session had further refusals',
    );
  }
}

function senderOf({ mailFrom, helo, remoteAddress, submitter }: ArrivedMail): Sender {
  return { mailFrom, helo, remoteAddress, submitter };
}
