import { isUtf8 } from 'node:buffer';
import type { MailEnvelope } from '#core/delivery/receive-mail.ts';
import type { LimitName, limits } from '#core/limits.ts';
import type { Services } from '#core/services.ts';
import type { Admission } from './admission.ts';
import { type Dialogue, InputStream } from './input-stream.ts';
import { type HeldBytes, Reception } from './reception.ts';
import type { Recipients } from './recipients.ts';
import { type Reply, replies } from './replies.ts';
import { type Accepted, BaseConnection } from './smtp-server-adapter.ts';
import { submitterOf } from './submitters.ts';
import { type MailServices, refuse, takeMail } from './take-mail.ts';
import type { Turns } from './turns.ts';

/** Limits of an SMTP dialogue. */
export type Limits = typeof limits.smtp;

/** State and services that the connections of a listener share. */
export type Shared = {
  services: MailServices & Pick<Services, 'deliveries' | 'maxMessageBytes'>;
  limits: Limits;
  admission: Admission;
  recipients: Recipients;
  held: HeldBytes;
  turns: Turns;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
const controlCharacter = /[\x00-\x1f\x7f]/;
const httpRequest = /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH) /i;

/** Dialogue with one client: its rules, limits and replies, and the way of its messages. */
export class Connection extends BaseConnection<InputStream> implements Dialogue {
  readonly #shared: Shared;
  #leave: (() => void) | null = null;
  #verb = '';
  /** Message that the client is sending. */
  #mail: { envelope: MailEnvelope; reception: Reception } | null = null;
  /** Tells whether a message is being stored, and the client waits for the reply. */
  #storing = false;
  #commandAt = performance.now();
  #pace = { since: 0, bytes: 0 };

  constructor(accepted: Accepted, shared: Shared) {
    super(accepted);
    this.#shared = shared;
  }

  get limits(): Limits {
    return this.#shared.limits;
  }

  get turns(): Turns {
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
      this.#cut(leave, replies.tooManyConnections);
      return;
    }
    const { smtpConnections } = this.#shared.services.metrics;
    smtpConnections.inc();
    this.#leave = () => {
      leave();
      smtpConnections.dec();
    };
    this.greet();
  }

  /** Counts final replies to RCPT and DATA. Ends the dialogue after any final reply while the server shuts down. */
  onReplied(code: number): void {
    const final = code !== 354;
    if (final && (this.#verb === 'RCPT' || this.#verb === 'DATA')) {
      const { metrics } = this.#shared.services;
      metrics.smtpReplies.inc({ command: this.#verb, code });
      if (this.#verb === 'RCPT' && code === 452) metrics.limitReached('smtp.recipients');
      this.#verb = '';
    }
    const goesOn = final && code !== 221 && code !== 421 && !this.isClosing && !this.#mail;
    if (goesOn && this.isShuttingDown) this.reply(replies.shuttingDown);
  }

  /** Ends the dialogue (RFC 5321 section 3.8). Finishes a command or mail under way first: its reply ends the dialogue. */
  drain(): void {
    if (!this.#isBusy && !this.#mail) this.reply(replies.shuttingDown);
  }

  /** Ends the dialogue of a client that is idle or sends too slowly. Called every few seconds. */
  checkPace(now: number): void {
    const { limits } = this;
    if (this.#mail && this.input) {
      const { waiting, messageBytes } = this.input;
      if (!waiting && now - this.#pace.since < limits.paceMs) return;
      const late = !waiting && messageBytes - this.#pace.bytes < limits.paceBytes;
      this.#pace = { since: now, bytes: messageBytes };
      if (late) this.#cut('smtp.paceBytes', replies.tooSlow);
    } else if (!this.#isBusy && now - this.#commandAt > limits.idleMs) {
      this.#cut('smtp.idleMs', replies.idle);
    }
  }

  /** Tells whether the client waits for the server. */
  get #isBusy(): boolean {
    return this.isRunningCommand || this.#storing;
  }

  /** Refuses a line that is too long, the only error of the input. */
  onInputError(): void {
    this.#cut('smtp.commandLineBytes', replies.lineTooLong);
    this.closeUnread();
  }

  onCommand(command: Buffer, done: () => void): void {
    const line = command.toString('latin1');
    this.#commandAt = performance.now();
    this.#verb = line.slice(0, 4).toUpperCase();
    if (this.isShuttingDown) this.reply(replies.shuttingDown);
    else if (httpRequest.test(line)) this.reply(replies.http);
    else if (controlCharacter.test(line) || !isUtf8(command)) {
      this.reply(replies.badCharacter);
      this.awaitWritable(done);
    } else this.runCommand(command, done);
  }

  onNotOffered(): void {
    this.reply(replies.notImplemented);
  }

  onData(): void {
    const { input } = this;
    const envelope = this.#envelope();
    if (input && envelope.recipients.length > 0) {
      this.#receive(input, envelope);
      this.reply({ code: 354, text: 'End data with <CR><LF>.<CR><LF>' });
    } else if (input?.pipelined) {
      // A message sent without waiting would be run as commands (RFC 2920 section 3.1: DATA is the last of a group).
      this.reply(replies.outOfStep);
      this.close();
    } else this.reply(replies.noRecipients);
  }

  #receive(input: InputStream, envelope: MailEnvelope): void {
    const { services, limits, held } = this.#shared;
    const reception = new Reception({
      openBody: () => services.deliveries.writeBody(),
      maxBytes: services.maxMessageBytes,
      limits,
      held,
      limitReached: services.metrics.limitReached,
    });
    this.#mail = { envelope, reception };
    this.#pace = { since: performance.now(), bytes: 0 };
    input.readMessage(
      (content) => reception.write(content),
      (resume) => this.#finish(envelope, reception, resume),
    );
  }

  async #finish(envelope: MailEnvelope, reception: Reception, resume: () => void): Promise<void> {
    this.#mail = null;
    this.#storing = true;
    const { services, recipients } = this.#shared;
    const reply = await takeMail(services, envelope, reception, recipients.refusals(this.session));
    this.#storing = false;
    this.#commandAt = performance.now();
    this.finishTransaction();
    this.#verb = 'DATA';
    this.reply(reply);
    this.awaitWritable(resume);
  }

  #envelope(): MailEnvelope {
    const { envelope, hostNameAppearsAs } = this.session;
    return {
      mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
      helo: hostNameAppearsAs || '',
      remoteAddress: this.remoteAddress,
      smtpUtf8: envelope.smtpUtf8 === true,
      recipients: this.#shared.recipients.accepted(this.session),
      submitter: submitterOf(this.session),
    };
  }

  /** Frees the connection's place, discards an unfinished message, and logs the refusals. */
  onClose(): void {
    const refusals = this.#shared.recipients.refusals(this.session);
    this.#leave?.();
    this.#leave = null;
    if (!this.#mail) {
      refusals.end();
      return;
    }
    const { envelope, reception } = this.#mail;
    this.#mail = null;
    const sizeBytes = reception.sizeBytes;
    reception.discard();
    refuse(refusals, envelope, sizeBytes, { code: 421, text: '4.4.2 The connection was lost in DATA' });
    refusals.end();
  }

  /** Counts that a limit was reached, and replies to the client. */
  #cut(limit: LimitName, reply: Reply): void {
    this.#shared.services.metrics.limitReached(limit);
    this.reply(reply);
  }
}
