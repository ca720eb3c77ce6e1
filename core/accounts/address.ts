import { letterlike, parseDomainName } from '#core/domains/domain-name.ts';

/** Address in its stored and compared form: lower case, the domain in A-labels. */
export type Address = { local: string; domain: string; address: string };

/** Dot-separated atoms (RFC 5321 section 4.1.2 Dot-string), with the non-ASCII letters of RFC 6531. */
const dotString =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;

/** Maximum code units of an address. RFC 5321 section 4.5.3.1 allows 64 octets for a local part and 255 for a domain. */
const mostCharacters = 320;

/** Start of an encoded word. RFC 2047 section 5 (3) allows none within an address, but mail readers decode them anywhere. */
const encodedWord = /=\?[^?]*\?[bq]\?/i;

/** Invisible characters, such as those that reverse text direction. */
const invisible = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Checks whether a lower-case local part consists of atoms. A full-width `@` or comma is a letter here and a special to software
 * that folds widths (UAX 15, NFKC).
 */
function isPlainLocal(local: string): boolean {
  return dotString.test(local) && dotString.test(local.normalize('NFKC')) && !encodedWord.test(local);
}

/**
 * Parses a bare `local@domain`. Returns null for anything else: names, comments, groups, quotes, address literals, and local
 * parts that a mail reader could mistake for them.
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

/** Splits `local+tag` at its first plus sign. The tag, which RFC 5233 calls the detail, is null without a plus sign. */
export function splitTag(local: string): { base: string; tag: string | null } {
  const plus = local.indexOf('+');
  return plus < 1 ? { base: local, tag: null } : { base: local.slice(0, plus), tag: local.slice(plus + 1) };
}

/** Quoted string with its quotes (RFC 5321 section 4.1.2). Its content may have any character. */
const quotedString = /^"((?:[^"\\]|\\.)*)"$/su;

/** Atoms and dots in any order. Addresses in use at mobile networks have a dot at an end, or two in a row. */
const looseDots = /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}.-]+$/u;

/** Invisible characters other than the space. */
const invisibleSign = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Splits an address at its last `@`. The domain has none, but a quoted local part may have some. */
export function splitAddress(text: string): { local: string; domain: string } {
  const at = text.lastIndexOf('@');
  return at === -1 ? { local: text, domain: '' } : { local: text.slice(0, at), domain: text.slice(at + 1) };
}

/** Returns a quoted local part's content, and any other local part unchanged. */
export function unquoted(local: string): string {
  return quotedString.exec(local)?.[1]?.replace(/\\(.)/gsu, '$1') ?? local;
}

/** Formats a local part, in quotes if it needs them. */
export function spellLocal(content: string): string {
  return looseDots.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Parses the address of an email's recipient. Accepts what `parseAddress` accepts, and dots in any place, quoted strings, and
 * long local parts. `local` has no quotes. Returns null if the address cannot belong to a registered domain.
 */
export function parseLooseAddress(text: string): Address | null {
  const plain = parseAddress(text);
  if (plain !== null) return plain;
  if (text.length > mostCharacters || invisibleSign.test(text) || letterlike.test(text)) return null;
  const given = splitAddress(text);
  const domain = parseDomainName(given.domain);
  const local = unquoted(given.local).normalize('NFC').toLowerCase();
  if (domain === null || local === '' || /\s/.test(given.domain)) return null;
  const isQuoted = quotedString.test(given.local);
  const isLoose =
    looseDots.test(local) && looseDots.test(local.normalize('NFKC')) && !encodedWord.test(local);
  if (!isQuoted && !isLoose) return null;
  // `"qa"` is `qa` (RFC 5321 section 4.1.2).
  const spelled = isPlainLocal(local) ? local : spellLocal(local);
  return { local, domain, address: `${spelled}@${domain}` };
}
