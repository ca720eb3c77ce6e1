import type { SMTPServerAddress } from 'smtp-server';
import type { Credentials } from '#core/delivery/submitter.ts';
import type { LimitName } from '#core/limits.ts';
import { isHttp, readableText } from './command-line.ts';
import type { Outcome } from './failures.ts';
import { ChunkReader, type Dialogue, DotReader, InputStream } from './input-stream.ts';
import { Reception, takeMail } from './reception.ts';
import { chunkTaken, failed, type Reply, replies } from './replies.ts';
import type { Shared } from './shared.ts';
import { type Accepted, BaseConnection } from './smtp-server-adapter.ts';
import { confirmSignIn, signIn } from './submitters.ts';
import { Transaction } from './transaction.ts';

/** Message that a client is sending. `inContent`: its bytes are currently being read. With BDAT, commands come in between. */
type Incoming = { reception: Reception; inContent: boolean };

/** Dialogue with one client: its rules, limits and replies, and what happens to its messages. */
export class Connection extends BaseConnection<InputStream> implements Dialogue {
  readonly shared: Shared;
  #leave: (() => void) | null = null;
  #isAdmitted = false;
  #mail: Incoming | null = null;
  /** True if a message is being stored and the client waits for the reply. */
  #storing = false;
  #commandAt = performance.now();
  readonly #transaction: Transaction;
  readonly #implicitTls: boolean;

  constructor(accepted: Accepted, shared: Shared, implicitTls: boolean) {
    super(accepted);
    this.shared = shared;
    this.#transaction = new Transaction(shared, this.session, (by) => {
      if (by === 'drop') this.close();
      else accepted.socket.resetAndDestroy();
    });
    this.#implicitTls = implicitTls;
  }

  createInput(): InputStream {
    return new InputStream(this);
  }

  /** Sends the greeting immediately, unless there are too many connections. */
  onOpen(): void {
    const leave = this.shared.admission.enter(this.remoteAddress);
    if (typeof leave === 'string') {
      void this.shared.peers.refused(this.remoteAddress, leave);
      this.#cut(leave, replies.tooManyConnections);
      return;
    }
    this.#isAdmitted = true;
    const { smtpConnections } = this.shared.services.metrics;
    smtpConnections.inc();
    this.#leave = () => {
      leave();
      smtpConnections.dec();
    };
    if (this.#implicitTls) this.greetByTls();
    else this.greet();
  }

  async onAuth(credentials: Credentials): Promise<Outcome> {
    const user = await signIn(this.shared, this.#transaction, credentials);
    return 'code' in user ? user : this.#transaction.failures.ofSubmitter(user, 'auth', null);
  }

  onMail({ address }: SMTPServerAddress): Promise<Outcome> | null {
    const { submitter } = this.#transaction;
    if (submitter === null) return null;
    return confirmSignIn(this.shared, this.#transaction).then(
      (ended) => ended ?? this.#transaction.failures.ofSubmitter(submitter, 'mail', address),
    );
  }

  async onRecipient(address: SMTPServerAddress): Promise<Outcome> {
    const ended = this.#transaction.signedIn && (await confirmSignIn(this.shared, this.#transaction));
    return ended ?? this.#transaction.resolveRecipient(address);
  }

  /** Records a reply. While the server shuts down, ends the dialogue after a final reply unless an email is being sent. */
  onReplied(reply: Reply, lines: string[]): void {
    this.#transaction.replied(reply, lines, this.#isAdmitted);
    const isFinal = ![221, 354, 421].includes(reply.code);
    const goesOn = isFinal && !this.isClosing && !this.#mail?.inContent;
    if (goesOn && this.#isEnding) this.reply(replies.shuttingDown);
  }

  /**
   * Ends the dialogue with a waiting client (RFC 5321 section 3.8), but lets the client finish the current email, because a client
   * without a queue would lose it. Called repeatedly until the dialogue has ended.
   */
  drain(now: number): void {
    this.#transaction.endDelays();
    if (this.#isBusy || this.#mail?.inContent) return;
    const isIdle = now - this.#commandAt > this.shared.limits.drainIdleMs;
    if (this.#isEnding || isIdle) this.reply(replies.shuttingDown);
  }

  get #isEnding(): boolean {
    return this.listener.isDraining && !this.#transaction.isUnderWay;
  }

  /** Ends the dialogue with a client that is idle or sends too slowly. Called every few seconds. */
  checkPace(now: number): void {
    const { limits, services } = this.shared;
    const idleMs = now - this.#commandAt;
    if (this.isUpgrading) {
      if (idleMs <= limits.handshakeMs) return;
      services.metrics.limitReached('smtp.handshakeMs');
      this.destroy();
    } else if (this.#mail && this.input) {
      if (!this.#mail.reception.isTooSlow(now, this.input.waiting || this.#isBusy)) return;
      this.#refuse(this.#mail.reception, replies.tooSlow);
      this.#discard();
      this.#cut('smtp.paceBytes', replies.tooSlow);
    } else if (!this.#isBusy && idleMs > limits.idleMs) this.#cut('smtp.idleMs', replies.idle);
  }

  /** True while the client is waiting for the server. */
  get #isBusy(): boolean {
    return this.isRunningCommand || this.#storing;
  }

  /** Refuses a line that is too long, which is the only error that the input reports. */
  onInputError(): void {
    this.#cut('smtp.commandLineBytes', replies.lineTooLong);
    this.closeUnread();
  }

  onCommand(command: Buffer, done: () => void): void {
    this.#commandAt = performance.now();
    const verb = command.toString('latin1', 0, 4).toUpperCase();
    const text = readableText(command);
    this.#transaction.command(verb, text, this.isAnswering);
    if (this.#isEnding) this.reply(replies.shuttingDown);
    else if (isHttp(command)) this.reply(replies.http);
    else if (text === null) {
      // Closes after a BDAT that cannot be parsed, because the octets after it are message content and must not run as commands.
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
        // A message that the client sends without waiting would run as commands (RFC 2920 section 3.1: DATA ends a group).
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

  /** Simulates the failures of DATA or the first BDAT, or continues immediately. A refusal ends the transaction. */
  #meetBeforeContent(go: (refused: Reply | null) => void): void {
    if (!this.#transaction.mayFail) {
      go(null);
      return;
    }
    void this.#transaction.failures.ofMail('data').then((outcome) => {
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
    // A chunk without a transaction must still be read, because its octets are not commands (RFC 3030 section 2).
    this.input?.readContent(
      new ChunkReader(octets),
      (content) => mail?.reception.write(content) ?? null,
      (resume) => {
        if (mail && isLast) this.#finish(mail.reception, resume);
        else this.#endChunk(mail, octets, refused ?? replies.noRecipients, resume);
      },
    );
  }

  /** Replies to a chunk that is not the last one. After a failure, the transaction has ended, and further chunks are refused. */
  #endChunk(mail: Incoming | null, octets: number, refused: Reply, resume: () => void): void {
    this.#commandAt = performance.now();
    if (mail) mail.inContent = false;
    const { failure } = mail?.reception ?? { failure: null };
    if (mail === null) this.reply(refused);
    else if (failure === null) this.reply(chunkTaken(octets));
    else {
      const reply = failed(failure);
      this.#refuse(mail.reception, reply);
      this.#endTransaction();
      this.reply(reply);
    }
    this.awaitWritable(resume);
  }

  onBadChunk(): void {
    this.reply(replies.badChunk);
    this.close();
  }

  onReset(): void {
    this.#discard();
    this.#transaction.reset();
  }

  #discard(): void {
    this.#mail?.reception.discard();
    this.#mail = null;
  }

  get #hasRecipients(): boolean {
    return this.session.envelope.rcptTo.length > 0;
  }

  #begin(): Incoming {
    this.#mail = { reception: new Reception(this.shared), inContent: true };
    return this.#mail;
  }

  async #finish(reception: Reception, resume: () => void): Promise<void> {
    this.#mail = null;
    this.#storing = true;
    const { services } = this.shared;
    // Receiving content may take long, but a credential that has ended may work for a few seconds at most.
    const ended = this.#transaction.signedIn && (await confirmSignIn(this.shared, this.#transaction));
    const mail = { ...this.#transaction.mail(this.tls), transcript: this.#transaction.transcript.take() };
    const reply = ended ?? (await takeMail(services, mail, reception, this.#transaction));
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

  #endTransaction(): void {
    this.#transaction.endContent();
    this.finishTransaction();
  }

  /** Frees the connection's slot, ends its current delay, discards an unfinished message, and logs the refusals. */
  onClose(): void {
    this.#transaction.endDelays();
    this.#leave?.();
    this.#leave = null;
    if (this.#mail) {
      this.#refuse(this.#mail.reception, replies.lostInContent);
      this.#discard();
    }
    this.#transaction.end();
  }

  /** Logs a message that was not received completely. */
  #refuse(reception: Reception, reply: Reply): void {
    this.#transaction.refusals.mail(this.#transaction.mail(this.tls), reception.sizeBytes, reply);
  }

  /** Counts a limit that was reached, and sends a reply that does not belong to a command. */
  #cut(limit: LimitName, reply: Reply): void {
    this.shared.services.metrics.limitReached(limit);
    this.#transaction.verb = '';
    this.reply(reply);
  }
}
