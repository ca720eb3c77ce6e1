import { connect, type Socket } from 'node:net';
import { mailFrom, type WireMail } from './mails.ts';

/** Plain SMTP client (RFC 5321) that waits for each reply, as most do, and does little else, because it shares the processor. */
export class SmtpConnection {
  readonly #socket: Socket;
  #received = '';
  #waiting: { resolve: (reply: string) => void; reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  private constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => this.#take(String(text)));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** Connects, and waits for the greeting. The caller sends `hello` next. */
  static async open(port: number): Promise<SmtpConnection> {
    const connection = new SmtpConnection(port);
    await connection.#reply('220');
    return connection;
  }

  async hello(): Promise<void> {
    await this.#command('EHLO client.sender.example', '250');
  }

  /** Sends one email to one recipient and returns the ID in the server's reply. Throws if it is refused. */
  async send(to: string, mail: WireMail): Promise<string> {
    await this.#command(`MAIL FROM:<${mailFrom}>`, '250');
    await this.#command(`RCPT TO:<${to}>`, '250');
    await this.#command('DATA', '354');
    this.#socket.write(mail);
    const reply = await this.#reply('250');
    return / as (\S+)/.exec(reply)?.[1] ?? '';
  }

  async quit(): Promise<void> {
    await this.#command('QUIT', '221');
    this.#socket.destroy();
  }

  #command(line: string, code: string): Promise<string> {
    this.#socket.write(`${line}\r\n`, 'latin1');
    return this.#reply(code);
  }

  async #reply(code: string): Promise<string> {
    const reply = await new Promise<string>((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#waiting = { resolve, reject };
    });
    if (!reply.startsWith(code)) throw new Error(`expected ${code}, got: ${reply.trim()}`);
    return reply;
  }

  /** Collects a reply, which ends with the line whose code is followed by a space. */
  #take(text: string): void {
    this.#received += text;
    if (!/(?:^|\n)[0-9]{3} [^\n]*\n$/.test(this.#received)) return;
    const reply = this.#received;
    this.#received = '';
    this.#waiting?.resolve(reply);
    this.#waiting = undefined;
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}
