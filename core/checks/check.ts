import { type Finding, finding } from '#core/audit/finding.ts';

/** Creates a finding: if `severity` is false, a passed finding; otherwise a fault with this severity and advice. */
export function check(
  id: string,
  title: string,
  severity: Finding['severity'] | false,
  advice: string,
  sound: string,
): Finding {
  return severity === false ? finding('passed', id, title, sound) : finding(severity, id, title, advice);
}
