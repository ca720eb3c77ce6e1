import { letterlike, parseDomainName } from '#core/domains/domain-name.ts';

/** Address in the form in which it is stored and compared: lower case, with the domain in A-labels. */
export type Address = { local: string; domain: string; address: string };

/** Dot-separated atoms (RFC 5321 section 4.1.2 Dot-string), with the non-ASCII letters of RFC 6531. */
const dotString =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;

/** Maximum length of an address in code units. RFC 5321 section 4.5.3.1 allows 64 octets for a local part and 255 for a domain. */
const mostCharacters = 320;

/** Start of an encoded word. RFC 2047 section 5 (3) forbids encoded words within an address, but mail readers decode them anywhere. */
const encodedWord = /=\?[^?]*\?[bq]\?/i;

/** Invisible characters, including those that reverse the text direction. */
const invisible = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Checks whether a lower-case local part consists of atoms. To this pattern, a full-width `@` or comma would be a letter, but software
 * that folds widths (UAX 15, NFKC) treats it as a special character.
 */
function isPlainLocal(local: string): boolean {
  return dotString.test(local) && dotString.test(local.normalize('NFKC')) && !encodedWord.test(local);
}

/**
 * Parses a bare `local@domain`. Returns null for anything else: names, comments, groups, quotes, address literals, and local parts that a
 * mail reader could mistake for one of these.
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

/** Splits `local+tag` at its first plus sign. The tag, which RFC 5233 calls the detail, is null if there is no plus sign. */
export function splitTag(local: string): { base: string; tag: string | null } {
  const plus = local.indexOf('+');
  return plus < 1 ? { base: local, tag: null } : { base: local.slice(0, plus), tag: local.slice(plus + 1) };
}

/** Quoted string with its quotes (RFC 5321 section 4.1.2). Its content may include any character. */
const quotedString = /^"((?:[^"\\]|\\.)*)"$/su;

/** Atoms and dots in any order. Some addresses in use at mobile networks end with a dot, or contain consecutive dots. */
const looseDots = /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}.-]+$/u;

/** Invisible characters other than the space. */
const invisibleSign = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Splits an address at its last `@`. A domain cannot contain an `@`, but a quoted local part can. */
export function splitAddress(text: string): { local: string; domain: string } {
  const at = text.lastIndexOf('@');
  return at === -1 ? { local: text, domain: '' } : { local: text.slice(0, at), domain: text.slice(at + 1) };
}

/** Returns a quoted local part's content. Returns any other local part unchanged. */
export function unquoted(local: string): string {
  return quotedString.exec(local)?.[1]?.replace(/\\(.)/gsu, '$1') ?? local;
}

/** Formats a local part. Quotes it if necessary. */
export function spellLocal(content: string): string {
  return looseDots.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Parses the address of an email's recipient. Accepts what `parseAddress` accepts, and in addition dots in any place, quoted strings and
 * long local parts. `local` excludes the quotes. Returns null if the address cannot belong to a registered domain.
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
  // `"qa"` is equivalent to `qa` (RFC 5321 section 4.1.2).
  const spelled = isPlainLocal(local) ? local : spellLocal(local);
  return { local, domain, address: `${spelled}@${domain}` };
}
