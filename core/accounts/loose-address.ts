import { letterlike, parseDomainName } from '#core/domains/domain-name.ts';
import { type Address, encodedWord, isPlainLocal, mostCharacters, parseAddress } from './address.ts';

/** Quoted string with its quotes (RFC 5321 section 4.1.2), whose content may hold any sign. */
const quotedString = /^"((?:[^"\\]|\\.)*)"$/su;

/** Atoms and dots in any order. A dot at an end, or two in a row, are in addresses of mobile networks that are in use. */
const looseDots = /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}.-]+$/u;

/** Invisible characters besides the blank. */
const invisible = /[\p{Cc}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Splits an address at its last `@`. The domain has none, and a quoted local part may. */
export function splitAddress(text: string): { local: string; domain: string } {
  const at = text.lastIndexOf('@');
  return at === -1 ? { local: text, domain: '' } : { local: text.slice(0, at), domain: text.slice(at + 1) };
}

/** Returns the content of a quoted local part, and any other as it is. */
export function unquoted(local: string): string {
  return quotedString.exec(local)?.[1]?.replace(/\\(.)/gsu, '$1') ?? local;
}

/** Spells a local part, in quotes where it needs them. */
export function spellLocal(content: string): string {
  return looseDots.test(content) ? content : `"${content.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Reads the address of a recipient that somebody sends to. Takes what `parseAddress` takes, and dots in any place, quoted strings, and
 * long local parts. `local` has no quotes. Returns null where the address cannot be for a registered domain.
 */
export function parseLooseAddress(text: string): Address | null {
  const plain = parseAddress(text);
  if (plain !== null) return plain;
  if (text.length > mostCharacters || invisible.test(text) || letterlike.test(text)) return null;
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
