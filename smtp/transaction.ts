import type { SMTPServerAddress, SMTPServerSession } from 'smtp-server';
import { type AcceptedRecipient, acceptOrCapture, mayFail } from '#core/delivery/accept-recipient.ts';
import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import type { MailPlace } from '#gate/mail-room.ts';
import { type Cut, Failures, type Outcome } from './failures.ts';
import { Refusals, type Sender } from './refusals.ts';
import { failed, type Reply, refusedRecipient, replies } from './replies.ts';
import type { Shared } from './shared.ts';
import { Transcript } from './transcript.ts';

/** Submitter of a session, and the time in ms of the last check of the submitter's credential. */
type SignedIn = { submitter: Submitter; checkedAt: number };

const stages: Partial<{ [verb: string]: RefusalStage }> = {
  ...{ AUTH: 'auth', MAIL: 'mail', RCPT: 'rcpt', DATA: 'data', BDAT: 'data' },
};

/**
 * Transaction of a connection: its recipients, the teams that it concerns, the reports on its mail, and its transcript, refusals and
 * simulated failures, which most connections do not have. `reset` starts the next transaction but keeps the submitter and earlier
 * refusals.
 */
export class Transaction {
  readonly transcript = new Transcript();
  /** Reports that simulated failures request, by recipient. */
  readonly reports = new Map<string, ReportRequest>();
  /** Command that the next reply belongs to. Empty after the command's final reply, and for a reply that no command caused. */
  verb = '';
  /** Team that the last RCPT concerns, until RCPT has been replied to. */
  team: Id | null = null;
  /** Team of the last refused recipient. The transaction's further refusals also concern this team. */
  refusedTeam: Id | null = null;
  readonly #shared: Shared;
  readonly #session: SMTPServerSession;
  readonly #cut: Cut;
  /** Recipients by address. If an address is repeated, it replaces the earlier one, as in smtp-server's envelope. */
  readonly #recipients = new Map<string, AcceptedRecipient>();
  #signedIn: SignedIn | null = null;
  #refusals: Refusals | null = null;
  #failures: Failures | null = null;
  /** Delays of the connection. Created for the first delay. */
  #delays: AbortController | null = null;
  #isEnding = false;
  #hadMail = false;
  /** Place of the email that is currently being stored. */
  #place: MailPlace | null = null;
  #command = '';
  /** Recipients of the email whose content the next reply belongs to. */
  #ended: AcceptedRecipient[] | null = null;
  /** Team that the last reply concerned. */
  #toldTeam: Id | null = null;

  constructor(shared: Shared, session: SMTPServerSession, cut: Cut) {
    this.#shared = shared;
    this.#session = session;
    this.#cut = cut;
  }

  /** Refusals of the connection. Created for the first refusal. */
  get refusals(): Refusals {
    this.#refusals ??= new Refusals(this, this.#shared);
    return this.#refusals;
  }

  /** Simulated failures of the connection. Created for the first submitter or recipient that may have failures. */
  get failures(): Failures {
    this.#failures ??= new Failures(this.#shared.services, this, this.#cut);
    return this.#failures;
  }

  /** True if failures may be simulated for the mail, or already have been. */
  get mayFail(): boolean {
    return this.reports.size > 0 || this.recipients.some(mayFail);
  }

  get recipients(): AcceptedRecipient[] {
    return [...this.#recipients.values()];
  }

  get remoteAddress(): string {
    return this.#session.remoteAddress;
  }

  /** Sender that MAIL named. Null before MAIL, and empty for the null sender. */
  get mailFrom(): string | null {
    const { mailFrom } = this.#session.envelope;
    return mailFrom ? mailFrom.address : null;
  }

  /** True while the client is sending an email, and before the connection's first email. */
  get isUnderWay(): boolean {
    return !this.#hadMail || this.mailFrom !== null;
  }

  /** Submitter. Null until AUTH has succeeded, and again after STARTTLS. */
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

  /** SIZE that MAIL declared (RFC 1870), in bytes, or 0. */
  get declaredBytes(): number {
    const { mailFrom } = this.#session.envelope;
    const args = mailFrom ? mailFrom.args : false;
    return args && typeof args.SIZE === 'string' ? Number(args.SIZE) : 0;
  }

  /** Keeps the submitter who is signing in. The sign-in takes effect once smtp-server has replied to AUTH. */
  signIn(submitter: Submitter, checkedAt: number): Submitter {
    this.#signedIn = { submitter, checkedAt };
    return submitter;
  }

  signOut(): void {
    this.#session.user = false;
  }

  /** Waits for as long as a simulated failure requests, unless the connection ends. During the wait, an email gives up its place. */
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

  /** Ends the current delay. There will be no further delays. */
  endDelays(): void {
    this.#isEnding = true;
    this.#delays?.abort();
  }

  /** Looks up an address in RCPT, and simulates the recipient's failures. Never rejects. */
  async resolveRecipient(recipient: SMTPServerAddress): Promise<Outcome> {
    const { services, limits } = this.#shared;
    const { submitter } = this;
    const { address } = recipient;
    if (this.#dsnTextLength(recipient) > limits.dsnCharacters) {
      services.metrics.limitReached('smtp.dsnCharacters');
      return replies.dsnTooLong;
    }
    try {
      const verdict = await acceptOrCapture(services, address, this.declaredBytes, submitter);
      if ('refusal' in verdict) {
        // `overflow` logs a full account once a minute.
        const isLogged = verdict.refusal !== 'no-room';
        return this.#refuse(
          address,
          refusedRecipient(verdict.refusal, verdict.address),
          verdict.team,
          isLogged,
        );
      }
      this.team = verdict.owner;
      const outcome = mayFail(verdict) ? await this.failures.ofRecipient(verdict) : null;
      if (outcome === null) this.#recipients.set(verdict.address.toLowerCase(), verdict);
      return outcome;
    } catch (error) {
      if (!this.refusals.exhausted) services.log.error({ err: error }, 'could not look up a recipient');
      return this.#refuse(address, failed(error), (submitter ?? services.everybody)?.owner ?? null);
    }
  }

  #refuse(recipient: string, own: Reply, team: Id | null, isLogged = true): Reply {
    const { exhausted } = this.refusals;
    const reply = exhausted ? replies.tooManyRefused : own;
    this.team = team;
    this.refusedTeam = team ?? this.refusedTeam;
    this.refusals.recipient(recipient, team, reply, isLogged);
    if (exhausted) this.#shared.services.metrics.limitReached('smtp.refusedRecipients');
    return reply;
  }

  /** Returns the length of the envelope's notification texts: its ENVID, and each ORCPT, including that of a further recipient. */
  #dsnTextLength(recipient: SMTPServerAddress): number {
    const { dsn, rcptTo } = this.#session.envelope;
    // A repeated recipient replaces the earlier one.
    const others = rcptTo.filter(({ address }) => address !== recipient.address);
    const orcpts = [...others, recipient].map((one) => one.dsn?.orcpt?.length ?? 0);
    return orcpts.reduce((sum, length) => sum + length, dsn?.envid?.length ?? 0);
  }

  /** Returns the transaction's email. */
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

  /** Records a command. `text` is null if the command cannot be read. `isAnswer`: the command answers an AUTH challenge. */
  command(verb: string, text: string | null, isAnswer: boolean): void {
    this.verb = isAnswer ? 'AUTH' : verb;
    this.#command = text ?? '';
    this.transcript.command(text, isAnswer);
  }

  /** Records the end of the content. After this, the transaction ends before its reply. */
  endContent(): void {
    this.#hadMail = true;
    this.verb = 'DATA';
    this.#ended = this.recipients;
  }

  /** Records a reply. Counts final replies to RCPT and DATA. If the client was not greeted, there is no transaction to record. */
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
 * Returns an envelope's parameters for delivery status notifications (RFC 3461), which smtp-server has checked, or null if there are
 * none.
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
