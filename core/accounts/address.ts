import { letterlike, parseDomainName } from '#core/domains/domain-name.ts';

/** Address in the form in which it is stored and compared: lower case, the domain in A-labels. */
export type Address = { local: string; domain: string; address: string };

/** Atoms separated by dots (RFC 5321 section 4.1.2 Dot-string), with the letters beyond ASCII of RFC 6531. */
const dotString =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;

/** Maximum code units of an address. RFC 5321 section 4.5.3.1 allows 64 octets for a local part and 255 for a domain. */
export const mostCharacters = 320;

/**
 * Beginning of an encoded word. RFC 2047 section 5 (3) allows none within an address, but mail readers decode one anywhere.
 */
export const encodedWord = /=\?[^?]*\?[bq]\?/i;

/** Invisible characters, such as those that reverse the direction of a text. */
const invisible = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Checks whether a local part in lower case is one of atoms. A full-width `@` or comma is a letter here and a special to software
 * that folds widths (UAX 15, NFKC).
 */
export function isPlainLocal(local: string): boolean {
  return dotString.test(local) && dotString.test(local.normalize('NFKC')) && !encodedWord.test(local);
}

/**
 * Reads a bare `local@domain`. Returns null for anything else: names, comments, groups, quotes, address literals, and local
 * parts that a mail reader could take for one of these.
 */
export function parseAddress(text: string): Address | null {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at).normalize('NFC').toLowerCase();
  const rawDomain = text.slice(at + 1);
  if (at < 1 || text.length > mostCharacters || invisible.test(text) || letterlike.test(text)) return null;
  if (!isPlainLocal(local) || Buffer.byteLength(local) > 64) return null;
  const domain = parseDomainName(rawDomain);
  return domain === null ? null : { local, domain, address: `${local}@${domain}` };
}

/** Splits `local+tag` at its first plus sign. The tag is null where there is none. RFC 5233 calls it the detail. */
export function splitTag(local: string): { base: string; tag: string | null } {
  const plus = local.indexOf('+');
  return plus < 1 ? { base: local, tag: null } : { base: local.slice(0, plus), tag: local.slice(plus + 1) };
}
