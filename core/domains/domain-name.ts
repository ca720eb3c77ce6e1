import { domainToASCII, domainToUnicode } from 'node:url';

/** OHM, KELVIN and ANGSTROM SIGN. Normalization (UAX 15) turns them into letters, so one address would become another. */
export const letterlike = /[\u2126\u212a\u212b]/;

/**
 * Parses a name into the form in which it is stored and compared: lower case, IDNA A-labels, no trailing dot. UTS 46 maps three other
 * full stops to the dot. Returns null unless it is a name with at least two labels (RFC 1035 section 2.3.4: 63 octets per label, 253 in
 * total; RFC 5890 for the letters).
 */
export function parseDomainName(text: string): string | null {
  const given = text
    .trim()
    .replace(/[\u3002\uff0e\uff61]/g, '.')
    .replace(/\.$/, '');
  // Characters that Unicode normalizes to letters: a KELVIN SIGN would become `k`.
  if (letterlike.test(given)) return null;
  // domainToASCII treats its argument as a URL's host and would drop a path or port.
  if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(given)) return null;
  const name = domainToASCII(given).toLowerCase();
  const labels = name.split('.');
  const wellFormed = labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  // If the last label contained only digits, the name would be an IP address in disguise.
  const isAddress = /^[0-9]+$/.test(labels.at(-1) ?? '');
  return wellFormed && labels.length >= 2 && name.length <= 253 && !isAddress ? name : null;
}

/**
 * Unambiguous labels: European Latin letters except those that look like plain letters (U+0131, U+0138, U+017F), or a script that has no
 * such letters. Cyrillic and Greek have some.
 */
const unmistakable =
  /^(?:[a-z\d\xdf-\xf6\xf8-\u0130\u0132-\u0137\u0139-\u017e-]+|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\d-]+|[\p{sc=Hang}\d-]+|[\p{sc=Arab}\d-]+|[\p{sc=Hebr}\d-]+|[\p{sc=Thai}\d-]+|[\p{sc=Deva}\d-]+)$/u;

/** Returns a name with its IDNA U-labels. Returns null for a name that has no U-labels, or that could be mistaken for another name. */
export function unicodeName(name: string): string | null {
  const shown = domainToUnicode(name);
  return shown !== name && shown.split('.').every((label) => unmistakable.test(label)) ? shown : null;
}

/**
 * Returns a name's path: its labels from right to left, each followed by a dot. The path of app.test is `test.app.`. A name's path is a
 * prefix of the paths of all names below it.
 */
export function domainPath(name: string): string {
  return `${name.split('.').reverse().join('.')}.`;
}

/**
 * Returns the paths of the names above and below a name. Names above it have at least two labels. `below` is the range of all paths below
 * it, excluding both ends.
 */
export function relatedPaths(name: string): { above: string[]; below: [after: string, before: string] } {
  const path = domainPath(name);
  const labels = name.split('.').reverse();
  const above = labels.slice(2).map((_, index) => `${labels.slice(0, index + 2).join('.')}.`);
  // Labels contain no character that sorts after "z".
  return { above, below: [path, `${path}{`] };
}

/** Checks whether a name lies under one of the suffixes. A suffix does not lie under itself, so a team cannot take it from all others. */
export function isUnder(name: string, suffixes: string[]): boolean {
  return suffixes.some((suffix) => name.endsWith(`.${suffix}`));
}
