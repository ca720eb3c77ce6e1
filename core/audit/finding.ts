import type { AuditCheck, AuditChecks } from '#core/messages/content.ts';

/**
 * One check and where it belongs: `critical` is what gets mail refused or its authentication failed, `warning` what some
 * receivers hold against it, `info` what is worth knowing, `passed` what is as it should be.
 */
export type Finding = AuditCheck & { severity: keyof AuditChecks };

/** `detail` is one sentence on what to do, or where nothing is to be done on what was found. */
export function finding(severity: Finding['severity'], id: string, title: string, detail: string): Finding {
  return { severity, id, title, detail };
}
