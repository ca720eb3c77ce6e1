import type { MessageContent } from './content.ts';
import type { RawMessage } from './message.ts';

/** What the checks need to know of how a message came; `submitted` marks one that was sent by the API, not received. */
export type Arrival = {
  mailFrom: string;
  rcptTo: string[];
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
