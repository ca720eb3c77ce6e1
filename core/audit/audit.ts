import type { AuditChecks, Authentication } from '#core/messages/content.ts';
import { auditAuthentication } from './authentication.ts';
import { auditFormat } from './format.ts';
import { auditHeaders } from './headers.ts';

/** What the audit judges: facts that the parser and the authenticator gathered, nothing else. */
export type AuditFacts = {
  /** In order, names as spelled, values decoded and unfolded. */
  headers: { name: string; value: string }[];
  sizeBytes: number;
  maxBytes: number;
  receivedAt: Date;
  submitted: boolean;
  smtpUtf8: boolean;
  hasText: boolean;
  hasHtml: boolean;
  /** Lines end with CRLF (RFC 5322 section 2.1): how many carriage returns and line feeds stand alone. */
  bareCr: number;
  bareLf: number;
  /** Octets of the longest line, without its ending (RFC 5322 section 2.1.1). */
  longestLine: number;
  eightBitHeader: boolean;
  /** The MIME tree was cut at its limits of depth or parts. */
  structureLimited: boolean;
  /** What broke the parser, or null. */
  parseError: string | null;
  authentication: Authentication;
  /** For each entry of `authentication.dkim`: bits of its key, its algorithm (`rsa-sha256`) and body length tag `l=`. */
  signatures: { keyBits: number | null; algorithm: string | null; bodyLength: number | null }[];
};

/** Every check by its severity; the ids are stable, and each stands once. */
export function audit(facts: AuditFacts): AuditChecks {
  const checks: AuditChecks = { critical: [], warning: [], info: [], passed: [] };
  const findings = [...auditAuthentication(facts), ...auditHeaders(facts), ...auditFormat(facts)];
  for (const { severity, ...check } of findings) checks[severity].push(check);
  return checks;
}
