import type { Authentication } from '#core/messages/content.ts';

/** Facts about a message that the audit judges, collected by the parser and the authenticator. */
export type AuditFacts = {
  /** Header fields in order: names as spelled, values decoded and unfolded. */
  headers: { name: string; value: string }[];
  sizeBytes: number;
  maxBytes: number;
  receivedAt: Date;
  submitted: boolean;
  smtpUtf8: boolean;
  hasText: boolean;
  hasHtml: boolean;
  /** Carriage returns outside a CRLF (RFC 5322 section 2.1). */
  bareCr: number;
  /** Line feeds outside a CRLF. */
  bareLf: number;
  /** Octets of the longest line, without its ending (RFC 5322 section 2.1.1). */
  longestLine: number;
  eightBitHeader: boolean;
  /** True where the MIME tree was cut at its limits of depth or parts. */
  structureLimited: boolean;
  /** Error of the parser, or null. */
  parseError: string | null;
  authentication: Authentication;
  /** Key size in bits, algorithm (`rsa-sha256`) and body length tag `l=` of each entry of `authentication.dkim`. */
  signatures: { keyBits: number | null; algorithm: string | null; bodyLength: number | null }[];
};
