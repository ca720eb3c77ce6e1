import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { MailEnvelope } from '#core/delivery/receive-mail.ts';
import type { LimitName, limits } from '#core/limits.ts';
import type { Services } from '#core/services.ts';
import type { Admission } from './admission.ts';
import { type Dialogue, InputStream } from './input-stream.ts';
import { type HeldBytes, Reception } from './reception.ts';
import type { Recipients } from './recipients.ts';
import { type Reply, replies } from './replies.ts';
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

/**
 * Dialogue with one client. smtp-server implements the commands, their order and their parameters. This class adds or
 * replaces the greeting, the reading of input, DATA, limits, and the shutdown.
 */
export class Connection extends SMTPConnection implements Dialogue {
  declare _parser: InputStream | false;
  readonly #shared: Shared;
  #leave: (() => void) | null = null;
  #verb = '';
  #mail: { envelope: MailEnvelope; reception: Reception } | null = null;
  #commandAt = performance.now();
  #pace = { since: 0, bytes: 0 };

  constructor(server: SMTPServer, socket: Socket, options: SMTPConnectionOptions | null, shared: Shared) {
    super(server, socket, options);
    this.#shared = shared;
  }

  get turns(): Turns {
    return this.#shared.turns;
  }

  get turnCommands(): number {
    return this.#shared.limits.turnCommands;
  }

  /** Greets at once. smtp-server would wait 100 ms for clients that talk too early, which would delay each mail. */
  override init(): void {
    this._setListeners(() => {
      if (this._server._closeTimeout) return this.#reply(replies.shuttingDown);
      const leave = this.#shared.admission.enter(this.remoteAddress);
      if (typeof leave === 'string') return this.#cut(leave, replies.tooManyConnections);
      const { smtpConnections } = this.#shared.services.metrics;
      smtpConnections.inc();
      this.#leave = () => {
        leave();
        smtpConnections.dec();
      };
      this.connectionReady();
    });
  }

  /** Sends a reply. Keeps an enhanced status code in the text: smtp-server knows a single one for each reply code. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    this.#gather();
    super.send(code, data, typeof data === 'string' && /^\d\.\d\.\d /.test(data) ? false : context);
    const final = code !== 354;
    if (final && (this.#verb === 'RCPT' || this.#verb === 'DATA')) {
      const { metrics } = this.#shared.services;
      metrics.smtpReplies.inc({ command: this.#verb, code });
      if (this.#verb === 'RCPT' && code === 452) metrics.limitReached('smtp.recipients');
      this.#verb = '';
    }
    const goesOn = final && code !== 221 && code !== 421 && !this._closing && !this.#mail;
    if (goesOn && this._server._closeTimeout) this.#reply(replies.shuttingDown);
  }

  /** Sends replies to pipelined commands in one write (RFC 2920 section 3.2), since each write is a system call. */
  #gather(): void {
    const socket = this._socket;
    if (socket.writableCorked > 0) return;
    socket.cork();
    process.nextTick(() => socket.uncork());
  }

  /** Ends the dialogue (RFC 5321 section 3.8). Finishes a command or mail under way first: its reply ends the dialogue. */
  drain(): void {
    if (!this._handlerPending && !this.#mail) this.#reply(replies.shuttingDown);
  }

  /** Ends the dialogue of a client that is idle or sends too slowly. Called every few seconds. */
  checkPace(now: number): void {
    const { limits } = this.#shared;
    if (this.#mail && this._parser) {
      const { waiting, dataBytes } = this._parser;
      if (!waiting && now - this.#pace.since < limits.paceMs) return;
      const late = !waiting && dataBytes - this.#pace.bytes < limits.paceBytes;
      this.#pace = { since: now, bytes: dataBytes };
      if (late) this.#cut('smtp.paceBytes', replies.tooSlow);
    } else if (!this._handlerPending && now - this.#commandAt > limits.idleMs) {
      this.#cut('smtp.idleMs', replies.idle);
    }
  }

  /** Leaves slow clients to `checkPace`, which knows whether the dialogue waits for the client or for the server. */
  override _onTimeout(): void {
    if (this._closing) super._onTimeout();
    else this._armTimeout();
  }

  override close(): void {
    this.#gone();
    super.close();
  }

  override _onClose(): void {
    this.#gone();
    super._onClose();
  }

  override _createParser(): InputStream {
    const parser = new InputStream(this, this._server.options.maxCommandLength);
    parser.oncommand = (command, callback) => this._onCommand(command, callback);
    parser.on('error', () => {
      this.#cut('smtp.commandLineBytes', replies.lineTooLong);
      this.close();
      // Stops reading: a client that sends without end would keep the server busy until the deadline.
      this._socket.pause();
    });
    return parser;
  }

  override _onCommand(command: Buffer, callback?: () => void): void {
    const line = command.toString('latin1');
    this.#commandAt = performance.now();
    this.#verb = line.slice(0, 4).toUpperCase();
    if (this._server._closeTimeout) this.#reply(replies.shuttingDown);
    else if (httpRequest.test(line)) this.#reply(replies.http);
    else if (controlCharacter.test(line) || !isUtf8(command)) {
      this.#reply(replies.badCharacter);
      this._whenWritable(callback ?? (() => {}));
    } else super._onCommand(command, callback);
  }

  /** Parses MAIL or RCPT. Keeps the address as given, where smtp-server converts A-labels to Unicode. */
  override _parseAddressCommand(name: string, command: Buffer | string) {
    const parsed = super._parseAddressCommand(name, command);
    if (!parsed || parsed.address === '') return parsed;
    const [, address = parsed.address] = /<(?:@[^:]*:)?([^<>]*)>/.exec(command.toString()) ?? [];
    return { ...parsed, address };
  }

  handler_EXPN(_command: Buffer, callback: () => void): void {
    this.#reply(replies.notImplemented);
    callback();
  }

  override handler_STARTTLS(command: Buffer, callback: () => void): void {
    this.handler_EXPN(command, callback);
  }

  override handler_DATA(_command: Buffer, callback: () => void): void {
    const envelope = this.#envelope();
    if (this._parser && envelope.recipients.length > 0) {
      this.#receive(this._parser, envelope);
      this.send(354, 'End data with <CR><LF>.<CR><LF>');
    } else if (this._parser !== false && this._parser.pipelined) {
      // A message sent without waiting would be run as commands (RFC 2920 section 3.1: DATA is the last of a group).
      this.#reply(replies.outOfStep);
      this.close();
    } else this.#reply(replies.noRecipients);
    callback();
  }

  #receive(parser: InputStream, envelope: MailEnvelope): void {
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
    parser.readMessage(
      (content) => reception.write(content),
      (resume) => this.#finish(envelope, reception, resume),
    );
  }

  async #finish(envelope: MailEnvelope, reception: Reception, resume: () => void): Promise<void> {
    this.#mail = null;
    // Keeps smtp-server from treating the client, which waits for the reply, as idle.
    this._handlerPending = true;
    const reply = await takeMail(
      this.#shared.services,
      envelope,
      reception,
      this.#shared.recipients.refusals(this.session),
    );
    this._handlerPending = false;
    this.#commandAt = performance.now();
    this._transactionCounter++;
    this._unrecognizedCommands = 0;
    this._resetSession();
    this.#verb = 'DATA';
    this.#reply(reply);
    this._whenWritable(resume);
  }

  #envelope(): MailEnvelope {
    const { envelope } = this.session;
    return {
      mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
      helo: this.hostNameAppearsAs || '',
      remoteAddress: this.remoteAddress,
      smtpUtf8: envelope.smtpUtf8 === true,
      recipients: this.#shared.recipients.accepted(this.session),
    };
  }

  /** Frees the connection's place, discards an unfinished message, and logs the refusals. */
  #gone(): void {
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
    this.#reply(reply);
  }

  #reply({ code, text }: Reply): void {
    this.send(code, text);
  }
}
