import type { Id } from '#core/ids.ts';
import type { Submission } from './content.ts';
import type { MailRecord } from './mail-record.ts';
import type { RawMessage } from './message.ts';
import type { Trace } from './trace-context.ts';

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
  /** Payer of a team that gets the mail, if that is known. */
  payer?: Id;
  /** Request that an application sent it by, in the format of an e-mail provider. */
  submission?: Submission;
  /** Trace of the request that it was sent by, for a mail that names none. */
  trace?: Trace | null;
  /** SMTP dialogue that brought the mail, as `transcript.ts` writes it. */
  transcript?: string;
  /** Client address that SPF is checked with in place of `remoteAddress`. */
  assumedClientIp?: string;
  /** Facts that somebody assumes, for a question about a mail that is stored. */
  assumed?: Assumed;
};

/** Types of DNS records that SPF, DKIM, DMARC and ARC read. */
export const assumedTypes = ['TXT', 'A', 'AAAA', 'MX', 'PTR', 'CNAME'] as const;

/** Records of a name and type as a zone file spells their data. An MX is a preference and a name: `10 mx.app.test`. */
export type AssumedRecords = { name: string; type: (typeof assumedTypes)[number]; values: string[] };

/** DNS records that are assumed, for the user who asks. `dns`: whether the DNS is asked for what they do not name. */
export type Assumed = { user: Id; records: AssumedRecords[]; dns: boolean };

/**
 * Reads a message and checks SPF, DKIM, DMARC and ARC, in another thread than the caller's. Never throws because of a
 * message: one that breaks the parser gives the parts that could be read, and the audit reports it.
 */
export type MailExaminer = {
  examine(source: Uint8Array | RawMessage, arrival: Arrival): Promise<MailRecord>;
  close(): Promise<void>;
};

/** Party that mails are served in turn for: who pays or asks, else a client address, or the account for mail that the API sends. */
export function partyOf({ remoteAddress, mailFrom, payer, assumed }: Arrival): string {
  const user = assumed?.user ?? payer;
  if (user !== undefined) return `user ${user}`;
  return remoteAddress ?? mailFrom;
}
