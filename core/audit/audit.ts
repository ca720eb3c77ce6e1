import type { LimitName } from '#core/limits.ts';
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
  /** The limit at which the header section was cut, and that of the MIME tree. */
  headerLimit: LimitName | null;
  structureLimit: LimitName | null;
  /** What broke the parser, or null. */
  parseError: string | null;
  /** Our own limits that kept checks or the parser from their end. */
  limitsReached: LimitName[];
  /** Why SPF, DKIM, DMARC and ARC were not checked, where they were not. */
  unchecked?: string;
  authentication: Authentication;
  /** For each entry of `authentication.dkim`: bits of its key, its algorithm (`rsa-sha256`) and body length tag `l=`. */
  signatures: { keyBits: number | null; algorithm: string | null; bodyLength: number | null }[];
};

/** Every check by its severity; the ids are stable, and each stands once. */
export function audit(facts: AuditFacts): AuditChecks {
  const checks: AuditChecks = { critical: [], warning: [], info: [], passed: [] };
  // A header section that could not be read lacks nothing.
  const isUnread = facts.parseError !== null && facts.headers.length === 0;
  const headers = isUnread ? [] : auditHeaders(facts);
  const findings = [...auditAuthentication(facts), ...headers, ...auditFormat(facts)];
  for (const { severity, ...check } of findings) checks[severity].push(check);
  return checks;
}
