import type { LimitName } from '#core/limits.ts';
import type { Authentication } from '#core/messages/content.ts';

/** Faults in a message's MIME format. The audit has one finding for each. */
export type MimeFaultKind =
  | 'no-blank-line'
  | 'no-boundary'
  | 'no-delimiter'
  | 'no-part'
  | 'not-closed'
  | 'unknown-encoding'
  | 'not-base64'
  | 'cut-base64'
  | 'broken-quoted-printable'
  | 'undecodable'
  | 'unknown-charset'
  | 'undeclared-charset';

/** Facts about a message that the audit judges, from the parser and the authenticator. */
export type AuditFacts = {
  /** Header fields in order: names in their original spelling, values decoded and unfolded. */
  headers: { name: string; value: string }[];
  sizeBytes: number;
  maxBytes: number;
  receivedAt: Date;
  submitted: boolean;
  smtpUtf8: boolean;
  hasText: boolean;
  hasHtml: boolean;
  /** Number of carriage returns that are not part of a CRLF (RFC 5322 section 2.1). */
  bareCr: number;
  /** Number of line feeds that are not part of a CRLF. */
  bareLf: number;
  /** Length of the longest line in octets, excluding its ending (RFC 5322 section 2.1.1). */
  longestLine: number;
  eightBitHeader: boolean;
  /** Limit at which the header section was truncated. */
  headerLimit: LimitName | null;
  /** Limit at which the MIME tree was truncated: its depth or its number of parts. */
  structureLimit: LimitName | null;
  /** MIME format faults, each with an example: a label or a boundary. */
  faults: ReadonlyMap<MimeFaultKind, string>;
  parseError: string | null;
  /** Sandpost's limits that ended the checks or the parsing early. */
  limitsReached: LimitName[];
  /** Reason why SPF, DKIM, DMARC and ARC were not checked. */
  unchecked?: string;
  /** Client address that SPF was checked with instead of the real one. */
  assumedClientIp?: string | undefined;
  authentication: Authentication;
  /** For each entry of `authentication.dkim`: key size in bits, algorithm (`rsa-sha256`) and body length tag `l=`. */
  signatures: { keyBits: number | null; algorithm: string | null; bodyLength: number | null }[];
};
