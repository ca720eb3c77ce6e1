import { type AcceptedRecipient, mayFail } from '#core/delivery/accept-recipient.ts';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import type { FailureContext } from '#core/delivery/failure-simulator.ts';
import type { Judge } from '#core/delivery/receive-mail.ts';
import type { Submitter } from '#core/delivery/submitter.ts';
import { cutTexts } from '#core/failures/choose-failure.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import type { Refusals, Sender } from './refusals.ts';
import { failed, type Reply } from './replies.ts';
import type { SmtpServices } from './shared.ts';

/** Reply to send instead of a command's own, null if the command continues, or `cut` if the connection has ended. */
export type Outcome = Reply | null | 'cut';

/** Ends a connection without a reply: by FIN or by RST. The socket of a TLS session cannot send an RST. */
export type Cut = (by: 'drop' | 'reset') => void;

/** Parts of a transaction that failures need. `delay` waits until the time is up or the connection ends. */
type Met = {
  readonly remoteAddress: string;
  readonly mailFrom: string | null;
  readonly submitter: Submitter | null;
  readonly sender: Sender;
  readonly recipients: AcceptedRecipient[];
  readonly reports: Map<string, ReportRequest>;
  readonly refusals: Refusals;
  delay(team: Id, ms: number): Promise<void>;
};

/** Simulated failures of a connection. None of the methods reject. */
export class Failures {
  readonly #services: SmtpServices;
  readonly #transaction: Met;
  readonly #cut: Cut;

  constructor(services: SmtpServices, transaction: Met, cut: Cut) {
    this.#services = services;
    this.#transaction = transaction;
    this.#cut = cut;
  }

  /** Judges an email that has arrived completely, and adds the reports of its transaction. */
  readonly judge: Judge<Exclude<Outcome, null>> = async (prepared) => {
    const refusal = await this.ofMail('end', prepared);
    return { refusal, reports: [...this.#transaction.reports.values()] };
  };

  /** Simulates the failures of AUTH or MAIL for the submitter who is signing in or has signed in. */
  ofSubmitter(submitter: Submitter, stage: 'auth' | 'mail', mailFrom: string | null): Promise<Outcome> {
    const { owner: team } = submitter;
    return this.#simulate({ team, version: null, stage, mailFrom, recipients: [], isAlone: true }, submitter);
  }

  /** Simulates a recipient's failures. */
  ofRecipient(recipient: AcceptedRecipient): Promise<Outcome> {
    return this.#ofEach('rcpt', [recipient], [...this.#transaction.recipients, recipient]);
  }

  /** Simulates an email's failures, either before its content or at its end. */
  ofMail(stage: 'data' | 'end', prepared?: PreparedMail): Promise<Outcome> {
    const { recipients } = this.#transaction;
    return this.#ofEach(stage, recipients, recipients, prepared);
  }

  /** Simulates the failures of each team for the team's own recipients. */
  #ofEach(
    stage: 'rcpt' | 'data' | 'end',
    recipients: AcceptedRecipient[],
    all: AcceptedRecipient[],
    prepared?: PreparedMail,
  ): Promise<Outcome> {
    const { mailFrom } = this.#transaction;
    const meetings = [...Map.groupBy(recipients, ({ owner }) => owner)].map(([team, own]) => ({
      ...{ team, stage, recipients: own, mailFrom: mailFrom ?? '' },
      version: own.reduce((most, { failures }) => Math.max(most, failures), 0),
      isAlone: all.every(({ owner }) => owner === team),
      ...(prepared && { prepared: [prepared] }),
    }));
    return this.#firstOf(meetings.filter((failureContext) => failureContext.recipients.some(mayFail)));
  }

  async #firstOf(meetings: Omit<FailureContext, 'remoteAddress'>[]): Promise<Outcome> {
    for (const failureContext of meetings) {
      const outcome = await this.#simulate(failureContext);
      if (outcome !== null) return outcome;
    }
    return null;
  }

  async #simulate(
    failureContext: Omit<FailureContext, 'remoteAddress'>,
    submitter: Submitter | null = this.#transaction.submitter,
  ): Promise<Outcome> {
    const { failureSimulator, log } = this.#services;
    const { team, stage, mailFrom, recipients } = failureContext;
    const { remoteAddress, reports, refusals, sender } = this.#transaction;
    try {
      const verdict = await failureSimulator.simulate({ ...failureContext, remoteAddress });
      for (const report of verdict.reports) reports.set(report.address, report);
      if (verdict.delayMs > 0) await this.#transaction.delay(team, verdict.delayMs);
      const rcptTo = recipients.map(({ address }) => address);
      const noted = { team, stage, rcptTo, failure: verdict.rule };
      const from = { ...sender, mailFrom, submitter };
      if (verdict.cut !== null) {
        const reply = { text: cutTexts[verdict.cut], reason: 'on-purpose' } as const;
        refusals.note({ ...noted, reply }, from);
        this.#cut(verdict.cut);
        return 'cut';
      }
      if (verdict.reply === null) return null;
      const reply = { ...verdict.reply, reason: 'on-purpose' } as const;
      refusals.reply(reply, noted, from);
      return reply;
    } catch (err) {
      log.error({ err }, 'could not simulate a failure');
      return failed(err);
    }
  }
}
