import type { Id } from '#core/ids.ts';
import type { Submission } from './content.ts';
import type { MailRecord } from './mail-record.ts';
import type { RawMessage } from './message.ts';
import type { Trace } from './trace-context.ts';

/**
 * Origin of a message, for its checks. `submitted`: sent through the API, not received. Excludes the envelope recipients: users
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
  /** Request by which an application sent it, in an email provider's format. */
  submission?: Submission;
  /** Trace of the request that sent it, for an email that does not name a trace. */
  trace?: Trace | null;
  /** SMTP dialogue that delivered the email, as `transcript.ts` writes it. */
  transcript?: string;
  /** Client address to check SPF with, instead of `remoteAddress`. */
  assumedClientIp?: string;
  /** Facts that somebody assumes about a stored email. */
  assumed?: Assumed;
};

/** Types of DNS records that SPF, DKIM, DMARC and ARC read. */
export const assumedTypes = ['TXT', 'A', 'AAAA', 'MX', 'PTR', 'CNAME'] as const;

/** Records of a name and type, with data as in a zone file. An MX is a preference and a name: `10 mx.app.test`. */
export type AssumedRecords = { name: string; type: (typeof assumedTypes)[number]; values: string[] };

/** DNS records that are assumed for the user who asks. `dns`: whether to query the DNS for anything else. */
export type Assumed = { user: Id; records: AssumedRecords[]; dns: boolean };

/**
 * Reads a message and checks SPF, DKIM, DMARC and ARC, in another thread than the caller's. Never throws because of a message: if
 * one breaks the parser, it returns the parts that could be read, and the audit reports it.
 */
export type MailExaminer = {
  examine(source: Uint8Array | RawMessage, arrival: Arrival): Promise<MailRecord>;
  close(): Promise<void>;
};

/**
 * Party whose emails take turns with others': the payer or the user who asks, else a client address, or the account for mail that
 * the API sends.
 */
export function partyOf({ remoteAddress, mailFrom, payer, assumed }: Arrival): string {
  const user = assumed?.user ?? payer;
  if (user !== undefined) return `user ${user}`;
  return remoteAddress ?? mailFrom;
}
