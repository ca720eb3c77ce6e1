/** Colour of a result, beside the word. */
export type Tone = 'good' | 'danger' | 'warning' | 'plain';

/** Returns the tone of a result of SPF, DKIM, DMARC or ARC (RFC 8601 section 2.7). */
export function toneOf(result: string): Tone {
  if (result === 'pass') return 'good';
  if (result === 'fail' || result === 'permerror') return 'danger';
  return result === 'none' ? 'plain' : 'warning';
}

/** Chooses one result for all DKIM signatures: one that passes is enough. */
export function dkimResult(signatures: { result: string; aligned: boolean }[]): string {
  const [best] = signatures.toSorted((a, b) => rank(b) - rank(a));
  return best?.result ?? 'none';
}

const rank = ({ result, aligned }: { result: string; aligned: boolean }) =>
  result === 'pass' ? (aligned ? 2 : 1) : 0;
