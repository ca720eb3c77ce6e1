import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import { type AcceptedRecipient, mayFail } from '#core/delivery/accept-recipient.ts';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import type { MailPlace } from '#gate/mail-room.ts';
import { type Cut, Failures } from './failures.ts';
import { Refusals, type Sender } from './refusals.ts';
import type { Reply } from './replies.ts';
import type { Shared } from './shared.ts';
import { Transcript } from './transcript.ts';

/** Submitter of a session, and the time of the last check of its credential, in ms. */
type SignedIn = { submitter: Submitter; checkedAt: number };

const stages: Partial<{ [verb: string]: RefusalStage }> = {
  ...{ AUTH: 'auth', MAIL: 'mail', RCPT: 'rcpt', DATA: 'data', BDAT: 'data' },
};

/**
 * Transaction of a connection: its recipients, the teams that it concerns, the reports on its mail, and its transcript,
 * refusals and failures on purpose, which most connections have none of. `reset` begins the next one: who signed in, and what was
 * refused before, stay.
 */
export class Transaction {
  readonly transcript = new Transcript();
  /** Reports that failures on purpose ask for, by recipient. */
  readonly reports = new Map<string, ReportRequest>();
  /** Command that is replied to next. Empty behind its final reply, and for a reply that no command asked for. */
  verb = '';
  /** Team that the last RCPT concerns, until it is replied to. */
  team: Id | null = null;
  /** Team of the last recipient that was refused. What else is refused in the transaction concerns it too. */
  refusedTeam: Id | null = null;
  readonly #shared: Shared;
  readonly #session: SMTPServerSession;
  readonly #cut: Cut;
  /** Recipients by address. One that is repeated replaces the earlier, as in the envelope of smtp-server. */
  readonly #recipients = new Map<string, AcceptedRecipient>();
  #signedIn: SignedIn | null = null;
  #refusals: Refusals | null = null;
  #failures: Failures | null = null;
  /** Delays of the connection, from the first one on. */
  #delays: AbortController | null = null;
  #isEnding = false;
  #hadMail = false;
  /** Place of the mail that is being stored. */
  #place: MailPlace | null = null;
  #command = '';
  /** Recipients of the mail whose content is replied to next. */
  #ended: AcceptedRecipient[] | null = null;
  /** Team that the last reply concerned. */
  #toldTeam: Id | null = null;

  constructor(shared: Shared, session: SMTPServerSession, cut: Cut) {
    this.#shared = shared;
    this.#session = session;
    this.#cut = cut;
  }

  /** Refusals of the connection. Created for the first one. */
  get refusals(): Refusals {
    this.#refusals ??= new Refusals(this, this.#shared);
    return this.#refusals;
  }

  /** Failures on purpose of the connection. Created for the first submitter, or recipient, that may have any. */
  get failures(): Failures {
    this.#failures ??= new Failures(this.#shared.services, this, this.#cut);
    return this.#failures;
  }

  /** True if failures on purpose may be made of the mail, or have been. */
  get mayFail(): boolean {
    return this.reports.size > 0 || this.recipients.some(mayFail);
  }

  /** Accepted recipients in their order. */
  get recipients(): AcceptedRecipient[] {
    return [...this.#recipients.values()];
  }

  get remoteAddress(): string {
    return this.#session.remoteAddress;
  }

  /** Sender that MAIL named. Null before, and empty for the null sender. */
  get mailFrom(): string | null {
    const { mailFrom } = this.#session.envelope;
    return mailFrom ? mailFrom.address : null;
  }

  /** True while a mail has begun, and before the first one of the connection. */
  get isUnderWay(): boolean {
    return !this.#hadMail || this.mailFrom !== null;
  }

  /** Null before AUTH has succeeded, and again behind STARTTLS. */
  get signedIn(): SignedIn | null {
    return this.#session.user ? this.#signedIn : null;
  }

  get submitter(): Submitter | null {
    return this.signedIn?.submitter ?? null;
  }

  get sender(): Sender {
    const { remoteAddress, mailFrom, submitter } = this;
    return { remoteAddress, helo: this.#session.hostNameAppearsAs || null, mailFrom, submitter };
  }

  /** SIZE that MAIL declared (RFC 1870), in bytes, or 0 without one. */
  get declaredBytes(): number {
    const { mailFrom } = this.#session.envelope;
    const args = mailFrom ? mailFrom.args : false;
    return args && typeof args.SIZE === 'string' ? Number(args.SIZE) : 0;
  }

  /** Keeps who signs in. It counts once smtp-server has replied to AUTH. */
  signIn(submitter: Submitter, checkedAt: number): Submitter {
    this.#signedIn = { submitter, checkedAt };
    return submitter;
  }

  signOut(): void {
    this.#session.user = false;
  }

  /** Waits for a time that a failure on purpose asks for, unless the connection ends. A mail leaves its place meanwhile. */
  async delay(team: Id, ms: number): Promise<void> {
    if (this.#isEnding) return;
    this.#delays ??= new AbortController();
    const place = this.#place;
    place?.leave();
    await this.#shared.services.delays.wait(team, ms, this.#delays.signal);
    await place?.enter();
  }

  /** Takes a place in the room of the mail's payers, and gives it back after `work`. */
  async inRoom<T>(mail: ArrivedMail, sizeBytes: number, work: (payer: Id) => Promise<T>): Promise<T> {
    const teams = mail.recipients.map(({ owner }) => owner);
    const place = await this.#shared.services.mailRoom.placeOf(teams, sizeBytes);
    await place.enter();
    this.#place = place;
    try {
      return await work(place.payer);
    } finally {
      this.#place = null;
      place.leave();
    }
  }

  /** Ends the delay under way. There are no further ones then. */
  endDelays(): void {
    this.#isEnding = true;
    this.#delays?.abort();
  }

  accept(recipient: AcceptedRecipient): void {
    this.#recipients.set(recipient.address.toLowerCase(), recipient);
  }

  /** Length of the texts for notifications of the envelope: its ENVID, and each ORCPT with that of a further recipient. */
  dsnTextLength(recipient: SMTPServerAddress): number {
    const { dsn, rcptTo } = this.#session.envelope;
    // A repeated recipient replaces the earlier one.
    const others = rcptTo.filter(({ address }) => address !== recipient.address);
    const orcpts = [...others, recipient].map((one) => one.dsn?.orcpt?.length ?? 0);
    return orcpts.reduce((sum, length) => sum + length, dsn?.envid?.length ?? 0);
  }

  /** Returns the mail of the transaction. */
  mail(tls: TlsInfo | null): ArrivedMail {
    const { services } = this.#shared;
    const { remoteAddress, recipients, submitter } = this;
    const { envelope, hostNameAppearsAs } = this.#session;
    return {
      ...{ remoteAddress, recipients, submitter, tls, mailFrom: this.mailFrom ?? '' },
      ...{ receivedBy: services.receivedBy, receivedAt: services.clock(), submitted: false },
      helo: hostNameAppearsAs || '',
      smtpUtf8: envelope.smtpUtf8 === true,
      dsn: dsnOf(envelope),
    };
  }

  /** Records a command. `text` is null for one that cannot be read. `isAnswer`: it answers a challenge of AUTH. */
  command(verb: string, text: string | null, isAnswer: boolean): void {
    this.verb = isAnswer ? 'AUTH' : verb;
    this.#command = text ?? '';
    this.transcript.command(text, isAnswer);
  }

  /** Records the end of the content, after which the transaction ends before its reply. */
  endContent(): void {
    this.#hadMail = true;
    this.verb = 'DATA';
    this.#ended = this.recipients;
  }

  /** Records a reply. Counts final ones to RCPT and DATA. A client that was not greeted has no transaction to note. */
  replied(reply: Reply, lines: string[], isGreeted: boolean): void {
    const { services, peers } = this.#shared;
    const { code, reason } = reply;
    const team = this.submitter?.owner ?? this.team ?? services.everybody?.owner ?? null;
    this.team = null;
    if (team !== null && team !== this.#toldTeam) peers.concern(this.remoteAddress, team);
    this.#toldTeam = team;
    if (code >= 400 && isGreeted) {
      const stage = this.#ended === null ? (stages[this.verb] ?? 'connect') : 'end';
      this.refusals.command(reply, {
        stage,
        command: this.#command,
        accepted: this.#ended ?? this.recipients,
      });
    }
    this.transcript.reply(lines, team);
    this.#ended = null;
    if (code === 354 || (this.verb !== 'RCPT' && this.verb !== 'DATA')) return;
    const { smtpReplies, simulatedReplies } = services.metrics;
    (reason === 'on-purpose' ? simulatedReplies : smtpReplies).inc({ command: this.verb, code });
    if (reason === 'too-many-recipients') services.metrics.limitReached('smtp.recipients');
    this.verb = '';
  }

  reset(): void {
    this.#recipients.clear();
    this.reports.clear();
    this.refusedTeam = null;
    this.#refusals?.reset();
    this.transcript.reset();
  }

  /** Logs what was refused, at the end of the connection. */
  end(): void {
    this.#refusals?.end();
  }
}

const returned = ['FULL', 'HDRS'] as const;
const conditions = ['NEVER', 'SUCCESS', 'FAILURE', 'DELAY'] as const;

/**
 * Returns the parameters of an envelope for delivery status notifications (RFC 3461), or null where it has none. smtp-server
 * has checked them.
 */
function dsnOf({ dsn, rcptTo }: SMTPServerSession['envelope']): Dsn | null {
  const ret = returned.find((value) => value === dsn?.ret) ?? null;
  const envid = dsn?.envid ?? null;
  const recipients = rcptTo.flatMap(({ address, dsn: asked }) => {
    if (!asked) return [];
    const notify = conditions.filter((condition) => asked.notify?.includes(condition));
    return [{ address, notify, orcpt: asked.orcpt ?? null }];
  });
  return ret === null && envid === null && recipients.length === 0 ? null : { ret, envid, recipients };
}
