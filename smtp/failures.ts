import type { Socket } from 'node:net';
import type { SMTPServerSession } from 'smtp-server';
import type { AcceptedRecipient } from '#core/delivery/accept-recipient.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import { type Meeting, mayFail } from '#core/delivery/failing.ts';
import type { Judge } from '#core/delivery/receive-mail.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import { cutTexts } from '#core/failures/choose-failure.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Services } from '#setup/services.ts';
import { noteRefusal, type RefusalServices } from './refusals.ts';
import { failed, type Reply } from './replies.ts';
import { markTold, senderOf, signedIn } from './session.ts';

export type FailureServices = RefusalServices & Pick<Services, 'failing' | 'delays'>;

/** Reply in place of that of a command, null where the command goes on, or `cut` where the connection has ended. */
export type Outcome = Reply | null | 'cut';

/** Session of a connection. `socket`: that of TCP, below any TLS. `delay`: ends the delay under way. */
type Session = {
  connection: { close(): void };
  socket: Socket;
  delay: AbortController | null;
  isEnding: boolean;
};

/** Mail of a transaction. `recipient`: the one of a command RCPT. `prepared`: the mail at its end. */
type Mail = { accepted: AcceptedRecipient[]; recipient?: AcceptedRecipient; prepared?: PreparedMail };

/** Failures on purpose in the sessions of a listener. No method rejects. */
export class Failures {
  readonly #services: FailureServices;
  readonly #sessions = new WeakMap<SMTPServerSession, Session>();
  readonly #reports = new WeakMap<SMTPServerSession['envelope'], Map<string, ReportRequest>>();

  constructor(services: FailureServices) {
    this.#services = services;
  }

  begin(session: SMTPServerSession, connection: Session['connection'], socket: Socket): void {
    this.#sessions.set(session, { connection, socket, delay: null, isEnding: false });
  }

  /** Ends the delay of a session. It has no further ones. */
  endDelays(session: SMTPServerSession): void {
    const known = this.#sessions.get(session);
    if (known === undefined) return;
    known.isEnding = true;
    known.delay?.abort();
  }

  /** Returns the judge of a mail that has arrived whole, which gets the reports of its transaction. */
  judge(session: SMTPServerSession, accepted: AcceptedRecipient[]): Judge<Exclude<Outcome, null>> {
    return async (prepared) => {
      const refusal = await this.ofMail('end', session, { accepted, prepared });
      return { refusal, reports: [...(this.#reports.get(session.envelope)?.values() ?? [])] };
    };
  }

  /** Makes the failures of AUTH or MAIL by who signs in, or has signed in. */
  ofSubmitter(
    submitter: Submitter,
    stage: 'auth' | 'mail',
    session: SMTPServerSession,
    mailFrom: string | null,
  ): Promise<Outcome> {
    const { owner: team } = submitter;
    const meeting = { team, version: null, stage, mailFrom, recipients: [], isAlone: true };
    return this.#meet(meeting, session, submitter);
  }

  /**
   * Makes the failures of a mail, or of one of its recipients: each team's own, of its own recipients. Returns null at once where no
   * team has any.
   */
  ofMail(
    stage: 'rcpt' | 'data' | 'end',
    session: SMTPServerSession,
    { accepted, recipient, prepared }: Mail,
  ): Promise<Outcome> | null {
    const recipients = recipient ? [recipient] : accepted;
    if (!recipients.some(mayFail)) return null;
    const { mailFrom } = session.envelope;
    const meetings = [...Map.groupBy(recipients, ({ owner }) => owner)].map(([team, own]) => ({
      ...{ team, stage, recipients: own, mailFrom: mailFrom ? mailFrom.address : '' },
      version: own.reduce((most, { failures }) => Math.max(most, failures), 0),
      isAlone: accepted.every(({ owner }) => owner === team),
      ...(prepared && { prepared: [prepared] }),
    }));
    return this.#meetEach(
      meetings.filter((meeting) => meeting.recipients.some(mayFail)),
      session,
    );
  }

  async #meetEach(meetings: Omit<Meeting, 'remoteAddress'>[], session: SMTPServerSession): Promise<Outcome> {
    for (const meeting of meetings) {
      const outcome = await this.#meet(meeting, session);
      if (outcome !== null) return outcome;
    }
    return null;
  }

  async #meet(
    meeting: Omit<Meeting, 'remoteAddress'>,
    session: SMTPServerSession,
    submitter: Submitter | null = signedIn(session)?.submitter ?? null,
  ): Promise<Outcome> {
    const { failing, delays, log } = this.#services;
    const known = this.#sessions.get(session);
    try {
      const { envelope, remoteAddress } = session;
      const encounter = await failing.meet({ ...meeting, remoteAddress });
      if (encounter === null) return null;
      const reports = this.#reports.get(envelope) ?? new Map<string, ReportRequest>();
      for (const report of encounter.reports) reports.set(report.address, report);
      this.#reports.set(envelope, reports);
      if (encounter.delayMs > 0 && known?.isEnding === false) {
        known.delay = new AbortController();
        await delays.wait(meeting.team, encounter.delayMs, known.delay.signal);
      }
      const told = encounter.cut === null ? encounter.reply : { text: cutTexts[encounter.cut] };
      if (told !== null) {
        const rcptTo = meeting.recipients.map(({ address }) => address);
        const reply = { ...told, reason: 'on-purpose' } as const;
        const sender = { ...senderOf(session), mailFrom: meeting.mailFrom, submitter };
        markTold(session, reply);
        noteRefusal(this.#services, sender, { ...meeting, reply, rcptTo });
      }
      if (encounter.cut === null) return encounter.reply;
      // Closes by FIN, or by RST, which the socket of a TLS session cannot send.
      if (encounter.cut === 'drop') known?.connection.close();
      else known?.socket.resetAndDestroy();
      return 'cut';
    } catch (err) {
      log.error({ err }, 'a failure on purpose could not be made');
      return failed(err);
    }
  }
}
