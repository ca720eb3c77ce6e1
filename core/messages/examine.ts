import type { MessageContent } from './content.ts';
import type { RawMessage } from './message.ts';

/**
 * Origin of a message, for its checks; `submitted` marks one that was sent by the API, not received. The
 * recipients of the envelope are absent: users share what is made of a mail, and each may see only their own ones.
 */
export type Arrival = {
  mailFrom: string;
  helo: string | null;
  remoteAddress: string | null;
  receivedBy: string;
  receivedAt: Date;
  /** Tells whether MAIL declared SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
  submitted: boolean;
};

/**
 * Reads a message and checks SPF, DKIM, DMARC and ARC, off the thread that calls. Never throws for a message's sake:
 * one that breaks the parser gives what could be read, and the audit says so.
 */
export type MailExaminer = {
  examine(source: Uint8Array | RawMessage, arrival: Arrival): Promise<MessageContent>;
  close(): Promise<void>;
};

/** Party that mails are served in turn for: a client address or, for mail that the API sends, the account. */
export function senderOf({ remoteAddress, mailFrom }: Arrival): string {
  return remoteAddress ?? mailFrom;
}
