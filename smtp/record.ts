import type { AcceptedRecipient } from '#core/delivery/accept-recipient.ts';
import type { Id } from '#core/ids.ts';
import type { RefusalStage } from '#core/refusals/refusal.ts';
import { isTooMany } from './replies.ts';
import type { SMTPServerSession } from './session.ts';
import type { Shared } from './shared.ts';
import { Transcript } from './transcript.ts';

const stages: Partial<{ [verb: string]: RefusalStage }> = {
  ...{ AUTH: 'auth', MAIL: 'mail', RCPT: 'rcpt', DATA: 'data', BDAT: 'data' },
};
const stageOf = (verb: string): RefusalStage => stages[verb] ?? 'connect';

/** Record of a dialogue: its transcript, and what of it is counted, and noted for teams. */
export class DialogueRecord {
  /** Command that is replied to next. Empty behind its final reply, and for a reply that no command asked for. */
  verb = '';
  readonly transcript = new Transcript();
  readonly #shared: Pick<Shared, 'services' | 'recipients' | 'told' | 'peers'>;
  readonly #session: SMTPServerSession;
  #command = '';
  /** Recipients of the mail whose content is replied to next. */
  #ended: AcceptedRecipient[] | null = null;
  /** Team that the last reply concerned. */
  #team: Id | null = null;

  constructor(shared: Shared, session: SMTPServerSession) {
    this.#shared = shared;
    this.#session = session;
  }

  /** Records a command. `text` is null for one that cannot be read. `isAnswer`: it answers a challenge of AUTH. */
  command(verb: string, text: string | null, isAnswer: boolean): void {
    this.verb = isAnswer ? 'AUTH' : verb;
    this.#command = text ?? '';
    this.transcript.command(text, isAnswer);
  }

  /** Records the end of the content of a mail, whose transaction ends before its reply. */
  content(recipients: AcceptedRecipient[]): void {
    this.verb = 'DATA';
    this.#ended = recipients;
  }

  /** Records a reply. Counts final ones to RCPT and DATA. A client that was not greeted has no transaction to note. */
  reply(code: number, lines: string[], isGreeted: boolean): void {
    const { services, recipients, told, peers } = this.#shared;
    const team = recipients.concerned(this.#session);
    this.transcript.reply(lines, team);
    if (team !== null && team !== this.#team) peers.concern(this.#session.remoteAddress, team);
    this.#team = team;
    if (code >= 400 && isGreeted) {
      const accepted = this.#ended ?? recipients.accepted(this.#session);
      const stage = this.#ended === null ? stageOf(this.verb) : 'end';
      told.reply(this.#session, lines[0] ?? '', { stage, command: this.#command, accepted });
    }
    this.#ended = null;
    if (code === 354 || (this.verb !== 'RCPT' && this.verb !== 'DATA')) return;
    services.metrics.smtpReplies.inc({ command: this.verb, code });
    if (this.verb === 'RCPT' && isTooMany(lines)) services.metrics.limitReached('smtp.recipients');
    this.verb = '';
  }
}
