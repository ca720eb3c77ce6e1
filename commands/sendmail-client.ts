import { once } from 'node:events';
import { connect } from 'node:net';

const patienceMs = 60_000;

/** A message for the wire: latin1 text with CRLF lines, not yet dot-stuffed. */
export type Submission = { helo: string; from: string; to: string[]; message: string };

/** A reply that was no success, or a connection that gave none; `code` 0 means that no server was reached. */
export class SubmissionError extends Error {
  override name = 'SubmissionError';
  readonly code: number;
  readonly step: 'connect' | 'recipient' | 'message';
  constructor(step: SubmissionError['step'], code: number, message: string) {
    super(message);
    this.step = step;
    this.code = code;
  }
}

/** Gives a message to an SMTP server, to all of its recipients or to none. Throws SubmissionError. */
export async function submit(host: string, port: number, mail: Submission): Promise<void> {
  const bad = [mail.from, ...mail.to].find((address) => /[\p{Cc}<>]/u.test(address));
  if (bad !== undefined) throw new SubmissionError('recipient', 501, `${JSON.stringify(bad)} is no address`);
  const socket = connect({ host, port, timeout: patienceMs });
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  // What fails is seen by the iteration below, or no longer matters.
  socket.on('error', () => {});
  const replies = socket.setEncoding('utf8')[Symbol.asyncIterator]();
  let received = '';
  const reply = async (step: SubmissionError['step'], expected: number, about = '') => {
    for (;;) {
      const match = /^(?:\d{3}-.*\r?\n)*(\d{3}) ?(.*)\r?\n/.exec(received);
      if (match) {
        received = received.slice(match[0].length);
        if (Number(match[1]) !== expected)
          throw new SubmissionError(step, Number(match[1]), `${about}${match[1]} ${match[2]}`);
        return match[0];
      }
      const { value, done } = await replies.next();
      if (done) throw new Error('the server closed the connection');
      received += value;
    }
  };
  const say = (line: string) => socket.write(`${line}\r\n`);
  try {
    await once(socket, 'connect');
    await reply('connect', 220);
    say(`EHLO ${mail.helo}`);
    const offers = await reply('connect', 250);
    say(`MAIL FROM:<${mail.from}>${parameters(offers, mail)}`);
    await reply('message', 250);
    for (const to of mail.to) {
      say(`RCPT TO:<${to}>`);
      await reply('recipient', 250, `${to}: `);
    }
    say('DATA');
    await reply('message', 354);
    socket.write(`${mail.message.replaceAll(/(^|\r\n)\./g, '$1..')}.\r\n`, 'latin1');
    await reply('message', 250);
    say('QUIT');
  } catch (error) {
    if (error instanceof SubmissionError) throw error;
    throw new SubmissionError(
      'connect',
      0,
      `${host}:${port}: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    socket.destroySoon();
  }
}

/** What MAIL can declare of the message, as far as the server offers it. */
function parameters(offers: string, { from, to, message }: Submission): string {
  const offered = (name: string) => new RegExp(`^250[ -]${name}\\b`, 'im').test(offers);
  const ascii = (text: string) => /^[\0-\x7f]*$/.test(text);
  const beyond = [from, ...to].some((address) => !ascii(address));
  return [
    offered('SIZE') ? ` SIZE=${message.length}` : '',
    offered('8BITMIME') && !ascii(message) ? ' BODY=8BITMIME' : '',
    offered('SMTPUTF8') && beyond ? ' SMTPUTF8' : '',
  ].join('');
}
