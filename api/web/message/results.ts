import type { AuditCheck, Message } from '../client/shapes.ts';

/** Loopback and private addresses (RFC 1122, RFC 1918, RFC 3927, RFC 4193, RFC 4291), including IPv4 in IPv6. */
const localAddress =
  /^(?:::ffff:)?(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.|^::1$|^f[cd][0-9a-f]{2}:|^fe[89ab][0-9a-f]:/i;

type Results = Pick<Message, 'spf' | 'dkim' | 'dmarc' | 'audit' | 'envelope'>;

/** SPF, DKIM and DMARC results by name. */
export const resultsOf = ({
  spf,
  dkim,
  dmarc,
}: Pick<Results, 'spf' | 'dkim' | 'dmarc'>): [name: string, result: string][] => [
  ['SPF', spf.result],
  ['DKIM', dkimResult(dkim)],
  ['DMARC', dmarc.result],
];

/**
 * Checks whether an email has no results because none are expected: it came from a local address, or through the API. Showing the same
 * three facts for every such email would hide important warnings.
 */
export function isLocalMail(message: Results): boolean {
  const { audit, envelope } = message;
  return (
    resultsOf(message).every(([, result]) => result === 'none') &&
    (localAddress.test(envelope.remote_address ?? '') ||
      audit.checks.info.some(({ id }) => id === 'submitted'))
  );
}

const ofResults = ['spf', 'dkim', 'dmarc'];

/** Returns the critical checks and the warnings, except those that apply to all local mail. */
export function problemsOf(message: Results): { critical: AuditCheck[]; warning: AuditCheck[] } {
  const { critical, warning } = message.audit.checks;
  const isExpected = ({ id }: AuditCheck) => ofResults.includes(id);
  return {
    critical,
    warning: isLocalMail(message) ? warning.filter((check) => !isExpected(check)) : warning,
  };
}

/** Color of a result, next to the word. */
export type Tone = 'good' | 'danger' | 'warning' | 'plain';

/** Returns the tone of an SPF, DKIM, DMARC or ARC result (RFC 8601 section 2.7). */
export function toneOf(result: string): Tone {
  if (result === 'pass') return 'good';
  if (result === 'fail' || result === 'permerror') return 'danger';
  return result === 'none' ? 'plain' : 'warning';
}

/** Chooses one result for all DKIM signatures: one passing signature is enough. */
function dkimResult(signatures: { result: string; aligned: boolean }[]): string {
  const [best] = signatures.toSorted((a, b) => rank(b) - rank(a));
  return best?.result ?? 'none';
}

const rank = ({ result, aligned }: { result: string; aligned: boolean }) =>
  result === 'pass' ? (aligned ? 2 : 1) : 0;
