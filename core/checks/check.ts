import { type Finding, finding } from '#core/audit/finding.ts';

/** Creates a finding: with a severity and advice for a fault, and passed otherwise. */
export function check(
  id: string,
  title: string,
  severity: Finding['severity'] | false,
  advice: string,
  sound: string,
): Finding {
  return severity === false ? finding('passed', id, title, sound) : finding(severity, id, title, advice);
}
