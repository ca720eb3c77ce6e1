import type { AuditCheck, AuditChecks } from '#core/messages/content.ts';

/**
 * A check with its severity. `critical`: receivers refuse the mail, or its authentication fails. `warning`: some receivers
 * count it against the mail. `info`: advice without consequences. `passed`: nothing to do.
 */
export type Finding = AuditCheck & { severity: keyof AuditChecks };

/** `detail` is one sentence: advice, or the fact where no advice is needed. */
export function finding(severity: Finding['severity'], id: string, title: string, detail: string): Finding {
  return { severity, id, title, detail };
}
