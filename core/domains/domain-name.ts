import { domainToASCII } from 'node:url';

/**
 * The name as it is stored and compared: lower case, IDNA A-labels, no trailing dot. Null where it is no name of at
 * least two labels (RFC 1035 section 2.3.4: 63 octets a label, 253 in all; RFC 5890 for the letters).
 */
export function parseDomainName(text: string): string | null {
  const given = text.trim().replace(/\.$/, '');
  // domainToASCII reads its argument as the host of a URL and would cut a path or a port off.
  if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(given)) return null;
  const name = domainToASCII(given).toLowerCase();
  const labels = name.split('.');
  const wellFormed = labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  // A name of digits alone at its end would be an IP address in disguise.
  const isAddress = /^[0-9]+$/.test(labels.at(-1) ?? '');
  return wellFormed && labels.length >= 2 && name.length <= 253 && !isAddress ? name : null;
}

/** A name's labels from the right, each with a dot: `test.app.` for app.test. The paths of all names below begin with it. */
export function domainPath(name: string): string {
  return `${name.split('.').reverse().join('.')}.`;
}

/**
 * The paths of the names above and below one: those of at least two labels above, and the range, both ends excluded, in
 * which all paths below lie.
 */
export function relatedPaths(name: string): { above: string[]; below: [after: string, before: string] } {
  const path = domainPath(name);
  const labels = name.split('.').reverse();
  const above = labels.slice(2).map((_, index) => `${labels.slice(0, index + 2).join('.')}.`);
  // No label has a character behind "z".
  return { above, below: [path, `${path}{`] };
}

/** Tells whether a name lies under one of the suffixes; a suffix itself does not, so that nobody can take it from all others. */
export function isUnder(name: string, suffixes: string[]): boolean {
  return suffixes.some((suffix) => name.endsWith(`.${suffix}`));
}
