import type { ArrivedMail } from '#core/delivery/prepare-mail.ts';
import type { LimitName } from '#core/limits.ts';
import { isHttp, readableText } from './command-line.ts';
import { arrivedMail } from './envelope.ts';
import { ChunkReader, type Dialogue, DotReader, InputStream } from './input-stream.ts';
import { Reception, takeMail } from './reception.ts';
import { DialogueRecord } from './record.ts';
import { chunkTaken, failed, type Reply, replies } from './replies.ts';
import type { Limits, Shared } from './shared.ts';
import { type Accepted, BaseConnection } from './smtp-server-adapter.ts';

/** Message that a client is sending. `inContent`: its bytes are read now; by BDAT, commands come between. */
type Incoming = { reception: Reception; inContent: boolean };

/** Dialogue with one client: its rules, limits and replies, and the way of its messages. */
export class Connection extends BaseConnection<InputStream> implements Dialogue {
  readonly #shared: Shared;
  #leave: (() => void) | null = null;
  #isAdmitted = false;
  #mail: Incoming | null = null;
  /** True if a message is being stored, and the client waits for the reply. */
  #storing = false;
  #commandAt = performance.now();
  #pace = { since: 0, bytes: 0 };
  readonly #record: DialogueRecord;
  readonly #implicitTls: boolean;

  constructor(accepted: Accepted, shared: Shared, implicitTls: boolean) {
    super(accepted);
    this.#shared = shared;
    this.#record = new DialogueRecord(shared, this.session);
    this.#implicitTls = implicitTls;
    shared.failures.begin(this.session, this, accepted.socket);
  }

  get limits(): Limits {
    return this.#shared.limits;
  }

  get turns(): Shared['turns'] {
    return this.#shared.turns;
  }

  createInput(): InputStream {
    return new InputStream(this);
  }

  /** Greets at once, unless there are too many connections. */
  onOpen(): void {
    if (this.isShuttingDown) {
      this.reply(replies.shuttingDown);
      return;
    }
    const leave = this.#shared.admission.enter(this.remoteAddress);
    if (typeof leave === 'string') {
      void this.#shared.peers.refused(this.remoteAddress, leave);
      this.#cut(leave, replies.tooManyConnections);
      return;
    }
    this.#isAdmitted = true;
    const { smtpConnections } = this.#shared.services.metrics;
    smtpConnections.inc();
    this.#leave = () => {
      leave();
      smtpConnections.dec();
    };
    if (this.#implicitTls) this.greetByTls();
    else this.greet();
  }

  /** Records a reply. Ends the dialogue after any final one while the server shuts down. */
  onReplied(code: number, lines: string[]): void {
    this.#record.reply(code, lines, this.#isAdmitted);
    const goesOn = ![221, 354, 421].includes(code) && !this.isClosing && !this.#mail?.inContent;
    if (goesOn && this.isShuttingDown) this.reply(replies.shuttingDown);
  }

  /**
   * Ends the dialogue (RFC 5321 section 3.8). Finishes a command, or content under way, first: its reply ends the dialogue. A
   * message of which only chunks have arrived is sent again elsewhere.
   */
  drain(): void {
    this.#shared.failures.endDelays(this.session);
    if (!this.#isBusy && !this.#mail?.inContent) this.reply(replies.shuttingDown);
  }

  /** Ends the dialogue of a client that is idle or sends too slowly. Called every few seconds. */
  checkPace(now: number): void {
    const { limits } = this;
    const idleMs = now - this.#commandAt;
    if (this.isUpgrading) {
      if (idleMs <= limits.handshakeMs) return;
      this.#shared.services.metrics.limitReached('smtp.handshakeMs');
      this.destroy();
    } else if (this.#mail && this.input) {
      const { sizeBytes } = this.#mail.reception;
      const waits = this.input.waiting || this.#isBusy;
      if (!waits && now - this.#pace.since < limits.paceMs) return;
      const late = !waits && sizeBytes - this.#pace.bytes < limits.paceBytes;
      this.#pace = { since: now, bytes: sizeBytes };
      if (!late) return;
      this.#refuse(this.#mail.reception, replies.tooSlow);
      this.onReset();
      this.#cut('smtp.paceBytes', replies.tooSlow);
    } else if (!this.#isBusy && idleMs > limits.idleMs) this.#cut('smtp.idleMs', replies.idle);
  }

  /** True if the client waits for the server. */
  get #isBusy(): boolean {
    return this.isRunningCommand || this.#storing;
  }

  /** Refuses a line that is too long, the only error of the input. */
  onInputError(): void {
    this.#cut('smtp.commandLineBytes', replies.lineTooLong);
    this.closeUnread();
  }

  onCommand(command: Buffer, done: () => void): void {
    this.#commandAt = performance.now();
    const verb = command.toString('latin1', 0, 4).toUpperCase();
    const text = readableText(command);
    this.#record.command(verb, text, this.isAnswering);
    if (this.isShuttingDown) this.reply(replies.shuttingDown);
    else if (isHttp(command)) this.reply(replies.http);
    else if (text === null) {
      // Closes after an unreadable BDAT: its octets are content of a message, and must not run as commands.
      if (verb === 'BDAT' && !this.isAnswering) this.onBadChunk();
      else this.reply(replies.badCharacter);
      this.endExchange();
      this.awaitWritable(done);
    } else this.runCommand(command, done);
  }

  onNotOffered(): void {
    this.reply(replies.notImplemented);
  }

  onData(done: () => void): void {
    const go = (refused: Reply | null) => {
      if (refused === null) this.#beginData();
      else if (this.input?.pipelined) {
        // A message sent without waiting would be run as commands (RFC 2920 section 3.1: DATA is the last of a group).
        this.reply(replies.outOfStep);
        this.close();
      } else this.reply(refused);
      done();
    };
    if (!this.#mail && !this.isBinary && this.#hasRecipients) this.#meetBeforeContent(go);
    else go(this.#mail || this.isBinary ? replies.byChunksOnly : replies.noRecipients);
  }

  #beginData(): void {
    const { reception } = this.#begin();
    this.input?.readContent(
      new DotReader(),
      (content) => reception.write(content),
      (resume) => this.#finish(reception, resume),
    );
    this.reply({ code: 354, text: 'End data with <CR><LF>.<CR><LF>' });
  }

  /** Makes the failures of DATA or the first BDAT. Goes on at once where there are none. A refusal ends the transaction. */
  #meetBeforeContent(go: (refused: Reply | null) => void): void {
    const { failures, recipients } = this.#shared;
    const met = failures.ofMail('data', this.session, { accepted: recipients.accepted(this.session) });
    if (met === null) go(null);
    met?.then((outcome) => {
      if (outcome !== 'cut' && outcome !== null) this.finishTransaction();
      if (outcome !== 'cut') go(outcome);
    });
  }

  onChunk(octets: number, isLast: boolean, done: () => void): void {
    const go = (refused: Reply | null) => {
      this.#readChunk(octets, isLast, refused);
      done();
    };
    if (this.#mail || !this.#hasRecipients) go(null);
    else this.#meetBeforeContent(go);
  }

  #readChunk(octets: number, isLast: boolean, refused: Reply | null): void {
    const mail = this.#mail ?? (this.#hasRecipients ? this.#begin() : null);
    if (mail) mail.inContent = true;
    // A chunk without a transaction is read all the same: its octets are no commands (RFC 3030 section 2).
    this.input?.readContent(
      new ChunkReader(octets),
      (content) => mail?.reception.write(content) ?? null,
      (resume) => {
        if (mail && isLast) this.#finish(mail.reception, resume);
        else this.#endChunk(mail, octets, refused ?? replies.noRecipients, resume);
      },
    );
  }

  /** Replies to a chunk that is not the last. After a failure the transaction has ended, and further chunks are refused. */
  #endChunk(mail: Incoming | null, octets: number, refused: Reply, resume: () => void): void {
    this.#commandAt = performance.now();
    if (mail) mail.inContent = false;
    const { failure } = mail?.reception ?? { failure: null };
    if (mail === null) this.reply(refused);
    else if (failure === null) this.reply(chunkTaken(octets));
    else {
      this.#refuse(mail.reception, failed(failure));
      this.#endTransaction();
      this.reply(failed(failure));
    }
    this.awaitWritable(resume);
  }

  onBadChunk(): void {
    this.reply(replies.badChunk);
    this.close();
  }

  onReset(): void {
    this.#mail?.reception.discard();
    this.#mail = null;
    this.#record.transcript.reset();
  }

  get #hasRecipients(): boolean {
    return this.session.envelope.rcptTo.length > 0;
  }

  #begin(): Incoming {
    const { services, limits, held } = this.#shared;
    const { maxMessageBytes: maxBytes, deliveries, metrics } = services;
    const { limitReached } = metrics;
    const openBody = () => deliveries.writeBody();
    const reception = new Reception({ openBody, maxBytes, limits, held, limitReached });
    this.#mail = { reception, inContent: true };
    this.#pace = { since: performance.now(), bytes: 0 };
    return this.#mail;
  }

  async #finish(reception: Reception, resume: () => void): Promise<void> {
    this.#mail = null;
    this.#storing = true;
    const { services, recipients, submitters, failures } = this.#shared;
    // Content may take long, and a credential ends within seconds.
    const ended = this.session.user ? await submitters.confirm(this.session) : null;
    const mail = { ...this.#arrivedMail(), transcript: this.#record.transcript.take() };
    const judge = failures.judge(this.session, mail.recipients);
    const refusals = recipients.refusals(this.session);
    const reply = ended ?? (await takeMail(services, mail, reception, refusals, judge));
    if (reply === 'cut') return;
    if (ended) {
      reception.discard();
      this.#refuse(reception, ended);
    }
    this.#storing = false;
    this.#commandAt = performance.now();
    this.#endTransaction();
    this.reply(reply);
    this.awaitWritable(resume);
  }

  /** Ends the transaction before the reply to its content. */
  #endTransaction(): void {
    this.#record.content(this.#shared.recipients.accepted(this.session));
    this.finishTransaction();
  }

  #arrivedMail(): ArrivedMail {
    const { services, recipients } = this.#shared;
    return arrivedMail(this.session, {
      recipients: recipients.accepted(this.session),
      tls: this.tls,
      remoteAddress: this.remoteAddress,
      receivedBy: services.receivedBy,
      receivedAt: services.clock(),
    });
  }

  /** Frees the connection's place, ends its delay, discards an unfinished message, and logs the refusals. */
  onClose(): void {
    this.#shared.failures.endDelays(this.session);
    this.#leave?.();
    this.#leave = null;
    if (this.#mail) {
      this.#refuse(this.#mail.reception, replies.lostInContent);
      this.onReset();
    }
    this.#shared.recipients.refusals(this.session).end();
  }

  /** Logs a message that was not taken whole. */
  #refuse(reception: Reception, reply: Reply): void {
    this.#shared.recipients.refusals(this.session).mail(this.#arrivedMail(), reception.sizeBytes, reply);
  }

  /** Counts that a limit was reached, and replies to no command. */
  #cut(limit: LimitName, reply: Reply): void {
    this.#shared.services.metrics.limitReached(limit);
    this.#record.verb = '';
    this.reply(reply);
  }
}
