import { type LimitName, limits } from '#core/limits.ts';
import type { AuditCheck, AuditChecks } from '#core/messages/content.ts';

/**
 * Check with its severity. `critical`: receivers refuse the email, readers cannot show it, or its authentication fails. `warning`: some
 * receivers count the finding against the email, or some readers display it incorrectly. `info`: advice about something without
 * consequences. `passed`: nothing to do.
 */
export type Finding = AuditCheck & { severity: keyof AuditChecks };

/** `detail` is one sentence: advice, or a fact if no advice is needed. */
export function finding(severity: Finding['severity'], id: string, title: string, detail: string): Finding {
  return { severity, id, title, detail };
}

const tables: Record<string, Record<string, number>> = limits;

/** Names Sandpost's limits, with their values, as a finding's cause, because the sender is not to blame for them. */
export function nameReachedLimits(names: LimitName[]): string {
  const told = names.map((limit) => {
    const [section = '', name = ''] = limit.split('.');
    const unit = /Ms$/.test(name) ? ' ms' : /Bytes$/.test(name) ? ' bytes' : '';
    return `${limit} (${tables[section]?.[name]}${unit})`;
  });
  return told.length === 1
    ? `Sandpost's limit ${told[0]} was reached`
    : `Sandpost's limits ${told.join(' and ')} were reached`;
}

/** Limits on a header section. A header section that reaches one of these limits is not checked. */
export const headerLimits: ReadonlySet<LimitName> = new Set<LimitName>([
  'mail.signedHeaderBytes',
  'mail.signedHeaderLines',
  'mail.signedHeaderSpaces',
  'mail.signatureFieldBytes',
  'mail.signatures',
]);

/** Limits on a check. A check that reaches one of these limits has no result. */
export const checkLimits: ReadonlySet<LimitName> = new Set<LimitName>([
  'mail.signatureMs',
  'mail.dnsMs',
  'mail.dnsQuestions',
]);
