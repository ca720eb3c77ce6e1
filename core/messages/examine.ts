import type { Id } from '#core/ids.ts';
import type { Submission } from './content.ts';
import type { MailRecord } from './mail-record.ts';
import type { RawMessage } from './message.ts';
import type { Trace } from './trace-context.ts';

/**
 * Origin of a message, for its checks. `submitted`: sent through the API, not received. Excludes the envelope recipients, because users
 * share an email's results, and each may see only their own recipients.
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
  /** Payer of a team that receives the email, if known. */
  payer?: Id;
  /** Provider API request by which an application sent the email. */
  submission?: Submission;
  /** Trace of the request that sent the email. Used if the email itself names no trace. */
  trace?: Trace | null;
  /** SMTP dialogue that delivered the email, in the format of `transcript.ts`. */
  transcript?: string;
  /** Client address that SPF is checked with instead of `remoteAddress`. */
  assumedClientIp?: string;
  /** Facts that a user assumes about a stored email. */
  assumed?: Assumed;
};

/** Types of DNS records that SPF, DKIM, DMARC and ARC read. */
export const assumedTypes = ['TXT', 'A', 'AAAA', 'MX', 'PTR', 'CNAME'] as const;

/** Records of one name and type, with data as in a zone file. An MX record's data is a preference and a name: `10 mx.app.test`. */
export type AssumedRecords = { name: string; type: (typeof assumedTypes)[number]; values: string[] };

/** DNS records to assume for the user who made the request. `dns`: whether to query the DNS for all other records. */
export type Assumed = { user: Id; records: AssumedRecords[]; dns: boolean };

/**
 * Reads a message and checks SPF, DKIM, DMARC and ARC, in a separate thread. Never throws because of a message: if a message breaks the
 * parser, returns the parts that could be read, and the audit reports the error.
 */
export type MailExaminer = {
  examine(source: Uint8Array | RawMessage, arrival: Arrival): Promise<MailRecord>;
  close(): Promise<void>;
};

/**
 * Returns the party whose emails take turns with those of others: the payer or the user who made the request, or else the client address,
 * or the account for mail that the API sends.
 */
export function partyOf({ remoteAddress, mailFrom, payer, assumed }: Arrival): string {
  const user = assumed?.user ?? payer;
  if (user !== undefined) return `user ${user}`;
  return remoteAddress ?? mailFrom;
}
