import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPEnvelope } from 'nodemailer/lib/smtp-connection';

const timeoutMs = 60_000;

/** Mail to submit. `message` is latin1 text with CRLF lines, not yet dot-stuffed. */
export type Submission = { helo: string; from: string; to: string[]; message: string };

/** Failure of a submission. `code` is the SMTP reply code, or 0 if there was no reply. */
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

type Failure = Error & { code?: string; command?: string; response?: string; recipient?: string };

/** Submits a message to an SMTP server, either for all of its recipients or for none. Throws SubmissionError. */
export async function submit(host: string, port: number, mail: Submission): Promise<void> {
  // nodemailer accepts no angle brackets in an address, not even within a quoted string.
  const bad = [mail.from, ...mail.to].find((address) => /[\p{Cc}<>]/u.test(address));
  if (bad !== undefined)
    throw new SubmissionError('recipient', 501, `${JSON.stringify(bad)} is not an address`);
  const bytes = Buffer.from(mail.message, 'latin1');
  // SMTPConnection records refused recipients in the envelope object that it receives.
  const envelope: SMTPEnvelope & { rejectedErrors?: Failure[] } = {
    from: mail.from,
    to: mail.to,
    size: bytes.length,
    use8BitMime: bytes.some((octet) => octet > 0x7f),
  };
  const connection = new SMTPConnection({
    host,
    port,
    name: mail.helo,
    ignoreTLS: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  try {
    await new Promise<void>((resolve, reject) => {
      const finish = (error?: Error | null) => (error ? reject(error) : resolve());
      connection.once('error', reject);
      connection.once('end', () => reject(new Error('the server closed the connection')));
      connection.connect((error) => {
        if (error) reject(error);
        else connection.send(envelope, Readable.from(unlessRefused(envelope, bytes)), finish);
      });
    });
    connection.quit();
  } catch (error) {
    throw submissionError(envelope.rejectedErrors?.[0] ?? (error as Failure), `${host}:${port}`);
  } finally {
    connection.on('error', () => {});
    connection.close();
  }
}

/**
 * Yields the message, or throws if a recipient was refused. A message that breaks off is discarded by the server (RFC 5321 section
 * 4.1.1.4).
 */
async function* unlessRefused(envelope: { rejectedErrors?: Failure[] }, bytes: Buffer) {
  const [refused] = envelope.rejectedErrors ?? [];
  if (refused !== undefined) throw refused;
  yield bytes;
}

function submissionError({ code, command, response, recipient, message }: Failure, server: string) {
  if (response === undefined && code === 'EMESSAGE') return new SubmissionError('message', 552, message);
  const lastLine = response?.trimEnd().split(/\r?\n/).at(-1) ?? '';
  const status = Number(/^\d{3}/.exec(lastLine)?.[0] ?? 0);
  if (status === 0) return new SubmissionError('connect', 0, `${server}: ${message}`);
  if (recipient !== undefined) return new SubmissionError('recipient', status, `${recipient}: ${lastLine}`);
  const step = command === 'MAIL FROM' || command === 'DATA' ? 'message' : 'connect';
  return new SubmissionError(step, status, lastLine);
}
