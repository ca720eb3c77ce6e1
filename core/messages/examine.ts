import type { MessageContent } from './content.ts';
import type { RawMessage } from './message.ts';

/**
 * What the checks need to know of how a message came; `submitted` marks one that was sent by the API, not received. The
 * recipients of the envelope are absent: users share what is made of a mail, and each may see only their own ones.
 */
export type Arrival = {
  mailFrom: string;
  helo: string | null;
  remoteAddress: string | null;
  receivedBy: string;
  receivedAt: Date;
  /** Whether MAIL declared SMTPUTF8 (RFC 6531). */
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

/** Whose mails take one turn: a client address or, of what the API sends, the account. */
export function senderOf({ remoteAddress, mailFrom }: Arrival): string {
  return remoteAddress ?? mailFrom;
}
