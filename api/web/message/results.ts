import type { AuditCheck, Message } from '../client/shapes.ts';

/** Loopback and private addresses (RFC 1122, RFC 1918, RFC 3927, RFC 4193, RFC 4291), also as IPv4 in IPv6. */
const localAddress =
  /^(?:::ffff:)?(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.|^::1$|^f[cd][0-9a-f]{2}:|^fe[89ab][0-9a-f]:/i;

type Results = Pick<Message, 'spf' | 'dkim' | 'dmarc' | 'audit' | 'envelope'>;

/** Results of SPF, DKIM and DMARC by their names. */
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
 * Checks whether a mail has no result because none is to be expected: it came from a local address, or by the API. The same
 * three facts about every such mail would hide a warning that matters.
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

/** Returns the critical checks and the warnings, without those that every local mail has. */
export function problemsOf(message: Results): { critical: AuditCheck[]; warning: AuditCheck[] } {
  const { critical, warning } = message.audit.checks;
  const isExpected = ({ id }: AuditCheck) => ofResults.includes(id);
  return {
    critical,
    warning: isLocalMail(message) ? warning.filter((check) => !isExpected(check)) : warning,
  };
}

/** Colour of a result, beside the word. */
export type Tone = 'good' | 'danger' | 'warning' | 'plain';

/** Returns the tone of a result of SPF, DKIM, DMARC or ARC (RFC 8601 section 2.7). */
export function toneOf(result: string): Tone {
  if (result === 'pass') return 'good';
  if (result === 'fail' || result === 'permerror') return 'danger';
  return result === 'none' ? 'plain' : 'warning';
}

/** Chooses one result for all DKIM signatures: one that passes is enough. */
function dkimResult(signatures: { result: string; aligned: boolean }[]): string {
  const [best] = signatures.toSorted((a, b) => rank(b) - rank(a));
  return best?.result ?? 'none';
}

const rank = ({ result, aligned }: { result: string; aligned: boolean }) =>
  result === 'pass' ? (aligned ? 2 : 1) : 0;
