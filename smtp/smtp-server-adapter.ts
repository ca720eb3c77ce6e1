import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';
import { SMTPConnection, type SMTPConnectionOptions } from 'smtp-server/lib/smtp-connection.js';
import type { TlsInfo } from '#core/messages/message.ts';
import { readPath } from './command-line.ts';
import type { BaseInput } from './input-stream.ts';
import { type Reply, refusedParameter, replies, replyLines, replyOf } from './replies.ts';
import { Exchange, replyToAnswer } from './sasl.ts';
import { followEnd, tlsInfoOf } from './sockets.ts';

/**
 * Version of smtp-server whose private members are used and overridden here, and in no other file.
 * `test/once/smtp/smtp-server-adapter.test.ts` has a test for each of these members that fails if an upgrade changes the member.
 */
export const smtpServerVersion = '3.21.6';

/** Connection that the listener has accepted. */
export type Accepted = {
  server: SMTPServer & { readonly isDraining: boolean };
  socket: Socket;
  options: SMTPConnectionOptions | null;
};

/**
 * Dialogue with one client. smtp-server implements the commands, their order and their parameters. A subclass adds DATA, and makes its
 * decisions in the `on…` methods.
 */
export abstract class BaseConnection<Input extends BaseInput = BaseInput> extends SMTPConnection {
  /** Client, and the envelope of its transaction. Filled by `greet`. */
  declare readonly session: SMTPServerSession;
  /** Client's address or, behind a trusted proxy, the address that the proxy names. */
  declare readonly remoteAddress: string;
  /** Stream that `_createParser` has returned. */
  declare _parser: Input | false;
  readonly listener: Accepted['server'];
  #handshake: Socket | null = null;
  /** Reply to send unchanged, because its text contains the enhanced status code (RFC 3463). */
  #own: Reply | null = null;
  #exchange: Exchange | null = null;
  /** TLS session of the connection, or null. Read only once, because a closed socket no longer has a session. */
  tls: TlsInfo | null = null;

  constructor({ server, socket, options }: Accepted) {
    super(server, socket, options);
    this.listener = server;
  }

  /** Creates the input. Called by the constructor, before the fields of a subclass exist. */
  abstract createInput(): Input;
  /** Admits or refuses the client. Nothing has been sent to the client yet. */
  abstract onOpen(): void;
  /** Ends the dialogue after the input has failed. */
  abstract onInputError(): void;
  /** Replies to DATA. Calls `done` when the content or the next command may be read. */
  abstract onData(done: () => void): void;
  /** Receives the part of a message that follows BDAT, of length `octets`. Calls `done` when the part may be read. */
  abstract onChunk(octets: number, isLast: boolean, done: () => void): void;
  /** Refuses a BDAT without a size, because what follows it could be content or commands. */
  abstract onBadChunk(): void;
  /** Discards a message that was received in part and whose transaction has ended. */
  abstract onReset(): void;
  /** Replies to a command that exists but is not offered. */
  abstract onNotOffered(): void;
  /** Called after a reply has been written as `lines`, whether smtp-server or a subclass sent it. */
  abstract onReplied(reply: Reply, lines: string[]): void;
  /** Frees what the connection uses. Called before the connection closes, and again once its socket is closed. */
  abstract onClose(): void;

  /** Input of the connection. Null once the connection's socket is closed. */
  get input(): Input | null {
    return this._parser || null;
  }

  /** True if a command is waiting for its reply. The client is then not idle. */
  get isRunningCommand(): boolean {
    return this._handlerPending;
  }

  /** True if the server has closed its side and is waiting for the client. Further replies are not sent. */
  get isClosing(): boolean {
    return this._closing;
  }

  /** True during a TLS handshake. */
  get isUpgrading(): boolean {
    return this._upgrading;
  }

  /** True if the next line is a response to an AUTH challenge. */
  get isAnswering(): boolean {
    return Boolean(this._nextHandler);
  }

  /** Abandons an AUTH exchange. */
  endExchange(): void {
    this._nextHandler = false;
  }

  /** True if the transaction's message may only be sent by BDAT (RFC 3030 section 3). */
  get isBinary(): boolean {
    return this.session.envelope.bodyType === 'binarymime';
  }

  /** Listens to the socket and calls `onOpen`. Replaces `init`, which waits 100 ms for clients that talk too early. */
  open(): void {
    this._setListeners(() => this.onOpen());
  }

  /** Sends the greeting and enables commands. Until then, smtp-server replies to commands with 421. */
  greet(): void {
    this.connectionReady();
  }

  /** Starts with a TLS handshake, and then greets (RFC 8314 section 3). */
  greetByTls(): void {
    this.upgrade(
      () => {},
      () => this.greet(),
    );
  }

  /** Ends a connection, even during its handshake, by destroying its uppermost socket: the TLS socket, if there is one. */
  destroy(): void {
    (this.#handshake ?? this._socket).destroy();
  }

  reply(reply: Reply): void {
    this.#own = reply;
    this.send(reply.code, reply.text);
  }

  /** Returns the error that makes an smtp-server handler send a reply. */
  refusal(reply: Reply): Error {
    const challenge = this.#exchange?.errorChallenge(reply) ?? null;
    if (challenge !== null)
      this._nextHandler = (answer, done) => this.#refuse(replyToAnswer(answer, reply), done);
    this.#own = challenge ?? reply;
    return Object.assign(new Error(this.#own.text), { responseCode: this.#own.code });
  }

  /**
   * Adds no enhanced status code to our replies, because smtp-server supports only one for each code. Sends the replies to pipelined
   * commands in one write (RFC 2920 section 3.2), because each write is a system call. Adds extensions to the reply to EHLO, the only
   * reply with several lines.
   */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const socket = this._socket;
    const lines = Array.isArray(data) ? [...data, 'CHUNKING', 'BINARYMIME'] : data;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    const own = this.#own?.code === code && this.#own.text === data ? this.#own : null;
    this.#own = null;
    const enhanced = own ? false : context;
    super.send(code, lines, enhanced);
    const written = replyLines(code, this._getEnhancedStatusCode(code, enhanced), lines ?? '');
    this.onReplied(own ?? replyOf(code, written[0] ?? '', context || ''), written);
  }

  /**
   * Runs a command, or a response to an AUTH challenge: checks order and parameters, and replies. Calls `done` when the next command may
   * run.
   */
  runCommand(line: Buffer, done: () => void): void {
    const taken = this.#exchange ? this.#exchange.take(line, this.isAnswering) : line;
    if (taken === null) {
      this.endExchange();
      this.#refuse(replies.notBase64, done);
    } else this._onCommand(taken, done);
  }

  #refuse(reply: Reply, done: () => void): void {
    this.reply(reply);
    done();
  }

  /** Calls `resume` once the client has received enough of the replies, so unread replies do not fill the memory. */
  awaitWritable(resume: () => void): void {
    this._whenWritable(resume);
  }

  /** Ends the transaction as smtp-server's DATA does. The client may then begin another. */
  finishTransaction(): void {
    this._transactionCounter++;
    this._unrecognizedCommands = 0;
    this._resetSession();
  }

  /** Closes the server's side. smtp-server also calls this method: after QUIT, after 421, and after a socket error. */
  override close(): void {
    this.onClose();
    super.close();
  }

  /** Closes the connection and stops reading. `close` alone would keep reading a client's endless input for seconds. */
  closeUnread(): void {
    this.close();
    this._socket.pause();
  }

  /** Reports that a client has closed its side first. `close` is not called in this case. */
  override _onClose(): void {
    this.onClose();
    super._onClose();
  }

  /** Replaces the input, and the 421 that follows an error of the input. */
  override _createParser(): Input {
    return this.createInput().on('error', () => this.onInputError());
  }

  /** Replaces the address syntax, and keeps addresses unchanged. For example, smtp-server refuses quoted spaces. */
  override _parseAddressCommand(name: string, command: Buffer | string) {
    const path = readPath(command.toString());
    const parsed = path !== null && super._parseAddressCommand(name, path.withoutAddress);
    return parsed && { ...parsed, address: path.address };
  }

  /** Replaces DATA. smtp-server would pass a message to a stream of its own parser, which is replaced. */
  override handler_DATA(_command: Buffer, done: () => void): void {
    this.onData(done);
  }

  /** Adds to AUTH the order of RFC 4954 section 4, its response syntax, empty user names and tokens. */
  override handler_AUTH(command: Buffer, done: () => void): void {
    this.#exchange ??= new Exchange();
    const begun = this.#exchange.begin(command, Boolean(this.session.envelope.mailFrom));
    if (begun.refusal === null) super.handler_AUTH(begun.command, done);
    else this.#refuse(begun.refusal, done);
  }

  /** Adds EXPN (RFC 5321 section 4.1.1.7). smtp-server finds a command's method by its name. */
  handler_EXPN(_command: Buffer, done: () => void): void {
    this.onNotOffered();
    done();
  }

  /** Refuses STARTTLS if it is not offered. `hideSTARTTLS` only removes it from the reply to EHLO. */
  override handler_STARTTLS(command: Buffer, done: () => void): void {
    if (this._server.options.hideSTARTTLS && !this.session.secure) {
      this.onNotOffered();
      done();
    } else super.handler_STARTTLS(command, done);
  }

  /** Writes replies that were held back to be written together, before the socket switches to TLS. */
  override upgrade(resume: () => void, secured?: () => void): void {
    this._socket.uncork();
    super.upgrade(resume, secured);
  }

  /** Keeps the TLS socket of a handshake, which becomes `_socket` when the handshake ends. Called first for each socket. */
  override _armTimeout(socket: Socket = this._socket): void {
    this.#handshake = socket === this._socket ? null : socket;
    followEnd(socket, () => this.input);
    super._armTimeout(socket);
  }

  /** Adds BDAT (RFC 3030 section 2). */
  handler_BDAT(command: Buffer, done: () => void): void {
    const [, octets, last] = /^BDAT +(\d{1,15})( +LAST)? *$/i.exec(command.toString()) ?? [];
    if (octets === undefined) {
      this.onBadChunk();
      done();
    } else this.onChunk(Number(octets), last !== undefined, done);
  }

  /** Refuses unknown parameters and checks the syntax of notification parameters, as `handler_MAIL` does. */
  override handler_RCPT(command: Buffer, done: () => void): void {
    const refusal = refusedParameter(command.toString());
    if (refusal === null) super.handler_RCPT(command, done);
    else this.#refuse(refusal, done);
  }

  /** Adds BODY=BINARYMIME. Such messages are received like others (RFC 3030 section 3). */
  override _validateMailParams(parsed: Parameters<SMTPConnection['_validateMailParams']>[0]) {
    const { args } = parsed;
    const isBinary = args && typeof args.BODY === 'string' && /^binarymime$/i.test(args.BODY);
    return super._validateMailParams(isBinary ? { ...parsed, args: { ...args, BODY: '8BITMIME' } } : parsed);
  }

  /** Reports that a transaction has ended: after RSET, EHLO, a TLS handshake or a message. */
  override _resetSession(): void {
    super._resetSession();
    if (this.session.secure) this.tls ??= tlsInfoOf(this._socket);
    this.onReset();
  }

  /** Discards the parameters of a refused MAIL. smtp-server would use them for the next MAIL. */
  override handler_MAIL(command: Buffer, done: () => void): void {
    const refusal = refusedParameter(command.toString());
    if (refusal !== null) this.#refuse(refusal, done);
    else
      super.handler_MAIL(command, () => {
        if (!this.session.envelope.mailFrom) this._resetSession();
        done();
      });
  }
}
