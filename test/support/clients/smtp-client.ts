import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';

const patienceMs = 60_000;
const chunkBytes = 700;

/** SMTP client that sends given bytes unchanged, in packets of a given size, and waits for replies. A wait throws after 60 s. */
export class SmtpClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #received = '';
  #wake: () => void = () => {};

  /** Connects to a port, or continues over a socket. */
  constructor(to: number | Socket, host = '127.0.0.1', localAddress?: string) {
    this.socket =
      typeof to === 'number' ? connect({ port: to, host, ...(localAddress ? { localAddress } : {}) }) : to;
    this.socket.setNoDelay(true);
    this.socket.setEncoding('utf8');
    this.socket.on('data', (text: string) => {
      this.#received += text;
      this.#wake();
    });
    // A connection that the server resets counts as closed.
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.#wake();
        resolve();
      });
    });
  }

  /** Connects, waits for the greeting and sends EHLO. */
  static async open(port: number, localAddress?: string): Promise<SmtpClient> {
    const client = new SmtpClient(port, '127.0.0.1', localAddress);
    await client.greet();
    return client;
  }

  /** Connects with implicit TLS, waits for the greeting and sends EHLO. */
  static async openTls(port: number, options: ConnectionOptions = {}): Promise<SmtpClient> {
    const client = new SmtpClient(await secured({ port, host: '127.0.0.1', ...options }));
    await client.greet();
    return client;
  }

  /** Sends STARTTLS, followed by further plain text, and returns a client for the TLS session. */
  async startTls(options: ConnectionOptions = {}, plain = ''): Promise<SmtpClient> {
    await this.write(`STARTTLS\r\n${plain}`);
    const reply = await this.reply();
    if (!reply.startsWith('220')) throw new Error(`STARTTLS was answered with ${reply}`);
    this.socket.removeAllListeners('data');
    return new SmtpClient(await secured({ socket: this.socket, ...options }));
  }

  /** Waits for the greeting and sends EHLO. */
  async greet(): Promise<void> {
    await this.reply();
    await this.command('EHLO client.test');
  }

  /** Writes in packets of `size` bytes. Passes each packet to the system before the next. */
  async write(bytes: string | Uint8Array, size = Number.POSITIVE_INFINITY): Promise<void> {
    const buffer = Buffer.from(bytes);
    for (let at = 0; at < buffer.length && !this.socket.destroyed; at += size) {
      const packet = buffer.subarray(at, Math.min(at + size, buffer.length));
      await new Promise<void>((resolve) => this.socket.write(packet, () => resolve()));
      if (size < buffer.length) await turn();
    }
  }

  /** Returns the next complete reply, its lines joined by LF, or '' if the server has closed and nothing is left. */
  async reply(): Promise<string> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(this.#received);
      if (match) {
        this.#received = this.#received.slice(match[0].length);
        return match[0].trimEnd().replaceAll('\r\n', '\n');
      }
      if (this.socket.closed) return '';
      const left = deadline - Date.now();
      if (left <= 0)
        throw new Error(`no reply within ${patienceMs} ms; so far ${JSON.stringify(this.#received)}`);
      const timer = setTimeout(() => this.#wake(), left);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      clearTimeout(timer);
    }
  }

  async command(line: string): Promise<string> {
    await this.write(`${line}\r\n`);
    return this.reply();
  }

  /**
   * Sends MAIL, RCPT for each recipient, and DATA. Returns the reply to DATA; after a refusal, sends RSET and returns the first refusal.
   */
  async begin(from: string, to: string[], parameters = ''): Promise<string> {
    for (const line of [`MAIL FROM:<${from}>${parameters}`, ...to.map((address) => `RCPT TO:<${address}>`)]) {
      const reply = await this.command(line);
      if (reply.startsWith('250')) continue;
      await this.command('RSET');
      return reply;
    }
    return this.command('DATA');
  }

  /** Sends one email, dot-stuffed and terminated, in packets of `size` bytes. Returns the final reply. */
  async send(from: string, to: string[], message: string | Uint8Array, size?: number): Promise<string> {
    const reply = await this.begin(from, to);
    if (!reply.startsWith('354')) return reply;
    await this.write(onTheWire(message), size);
    return this.reply();
  }

  /** Sends one email by BDAT, in 700-byte chunks without waiting for their replies. Returns the final reply. */
  async sendChunks(from: string, to: string[], message: Uint8Array): Promise<string> {
    const begun = [`MAIL FROM:<${from}>`, ...to.map((address) => `RCPT TO:<${address}>`)];
    const pieces = begun.map((line) => Buffer.from(`${line}\r\n`));
    let chunks = 0;
    for (let at = 0; at < message.length; at += chunkBytes, chunks += 1) {
      const chunk = message.subarray(at, at + chunkBytes);
      const last = at + chunkBytes < message.length ? '' : ' LAST';
      pieces.push(Buffer.from(`BDAT ${chunk.length}${last}\r\n`), Buffer.from(chunk));
    }
    await this.write(Buffer.concat(pieces));
    let reply = '';
    for (let count = 0; count < begun.length + chunks; count += 1) reply = await this.reply();
    return reply;
  }

  async quit(): Promise<void> {
    await this.command('QUIT');
    this.socket.end();
    await this.closed;
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** Waits for a TLS session, whatever its certificate. */
async function secured(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connectTls({ rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** Encodes a message for DATA: dot-stuffed, ended by CRLF.CRLF (RFC 5321 section 4.5.2). */
export function onTheWire(message: string | Uint8Array): Buffer {
  const text = Buffer.from(message).toString('latin1');
  const stuffed = text.replace(/^\./, '..').replaceAll('\r\n.', '\r\n..');
  const end = stuffed === '' || stuffed.endsWith('\r\n') ? '.\r\n' : '\r\n.\r\n';
  return Buffer.from(stuffed + end, 'latin1');
}
