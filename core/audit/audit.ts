import type { AuditChecks } from '#core/messages/content.ts';
import { auditAuthentication } from './authentication.ts';
import type { AuditFacts } from './facts.ts';
import { auditFormat } from './format.ts';
import { auditHeaders } from './headers.ts';

/** Sorts the checks of a message by severity. Ids are stable, and unique within one audit. */
export function audit(facts: AuditFacts): AuditChecks {
  const checks: AuditChecks = { critical: [], warning: [], info: [], passed: [] };
  // A header section that could not be read lacks nothing.
  const isUnread = facts.parseError !== null && facts.headers.length === 0;
  const headers = isUnread ? [] : auditHeaders(facts);
  const findings = [...auditAuthentication(facts), ...headers, ...auditFormat(facts)];
  for (const { severity, ...check } of findings) checks[severity].push(check);
  return checks;
}
