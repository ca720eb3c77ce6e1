import type { Submission } from './content.ts';
import type { MailRecord } from './mail-record.ts';
import type { RawMessage } from './message.ts';

/**
 * Origin of a message, for its checks. `submitted` marks one that was sent by the API, not received. The recipients of the
 * envelope are absent, since users share the results of a mail, and each may see only their own recipients.
 */
export type Arrival = {
  mailFrom: string;
  helo: string | null;
  remoteAddress: string | null;
  receivedBy: string;
  receivedAt: Date;
  /** True if MAIL declared SMTPUTF8 (RFC 6531). */
  smtpUtf8: boolean;
  submitted: boolean;
  /** Request that an application sent it by, in the format of an e-mail provider. */
  submission?: Submission;
};

/**
 * Reads a message and checks SPF, DKIM, DMARC and ARC, in another thread than the caller's. Never throws because of a
 * message: one that breaks the parser gives the parts that could be read, and the audit reports it.
 */
export type MailExaminer = {
  examine(source: Uint8Array | RawMessage, arrival: Arrival): Promise<MailRecord>;
  close(): Promise<void>;
};

/** Party that mails are served in turn for: a client address or, for mail that the API sends, the account. */
export function senderOf({ remoteAddress, mailFrom }: Arrival): string {
  return remoteAddress ?? mailFrom;
}
