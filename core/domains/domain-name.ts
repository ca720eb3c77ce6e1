import { domainToASCII, domainToUnicode } from 'node:url';

/** OHM, KELVIN and ANGSTROM SIGN, which become letters by normalization (UAX 15), so that one address would be another. */
export const letterlike = /[\u2126\u212a\u212b]/;

/**
 * Parses a name into the form in which it is stored and compared: lower case, IDNA A-labels, no trailing dot. Returns null
 * for anything but a name of at least two labels (RFC 1035 section 2.3.4: 63 octets a label, 253 in all; RFC 5890 for the
 * letters).
 */
export function parseDomainName(text: string): string | null {
  const given = text.trim().replace(/\.$/, '');
  // Signs that Unicode takes for letters: a KELVIN SIGN would become `k`.
  if (letterlike.test(given)) return null;
  // domainToASCII reads its argument as the host of a URL and would cut a path or a port off.
  if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(given)) return null;
  const name = domainToASCII(given).toLowerCase();
  const labels = name.split('.');
  const wellFormed = labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  // A name whose last label has digits alone would be an IP address in disguise.
  const isAddress = /^[0-9]+$/.test(labels.at(-1) ?? '');
  return wellFormed && labels.length >= 2 && name.length <= 253 && !isAddress ? name : null;
}

/**
 * Labels that nobody takes for others: European Latin letters without those that look like plain ones (U+0131, U+0138, U+017F), or one of
 * the scripts without such letters. Cyrillic and Greek have some.
 */
const unmistakable =
  /^(?:[a-z\d\xdf-\xf6\xf8-\u0130\u0132-\u0137\u0139-\u017e-]+|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\d-]+|[\p{sc=Hang}\d-]+|[\p{sc=Arab}\d-]+|[\p{sc=Hebr}\d-]+|[\p{sc=Thai}\d-]+|[\p{sc=Deva}\d-]+)$/u;

/** Returns a name with its IDNA U-labels. Null for one that has none, or that could be taken for another name. */
export function unicodeName(name: string): string | null {
  const shown = domainToUnicode(name);
  return shown !== name && shown.split('.').every((label) => unmistakable.test(label)) ? shown : null;
}

/**
 * Returns a name's labels from the right, each with a dot: `test.app.` for app.test. The path of a name begins the paths of
 * all names below.
 */
export function domainPath(name: string): string {
  return `${name.split('.').reverse().join('.')}.`;
}

/**
 * Returns the paths of the names above and below a name. Names above have at least two labels. `below` is the range, both
 * ends excluded, of all paths below.
 */
export function relatedPaths(name: string): { above: string[]; below: [after: string, before: string] } {
  const path = domainPath(name);
  const labels = name.split('.').reverse();
  const above = labels.slice(2).map((_, index) => `${labels.slice(0, index + 2).join('.')}.`);
  // Labels have no character behind "z".
  return { above, below: [path, `${path}{`] };
}

/**
 * Checks whether a name lies under one of the suffixes. A suffix itself does not, so that one team cannot take it from all
 * others.
 */
export function isUnder(name: string, suffixes: string[]): boolean {
  return suffixes.some((suffix) => name.endsWith(`.${suffix}`));
}
