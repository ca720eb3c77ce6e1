import { createRequire } from 'node:module';
import addressparser from 'nodemailer/lib/addressparser';
import { parseAddress, parseLooseAddress } from '#core/accounts/address.ts';
import { type Invalid, invalid } from '#core/errors.ts';
import { limitOf } from '#core/limit-of.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import type { JsonValue } from './json-value.ts';

const require = createRequire(import.meta.url);

/** Names of a provider's fields for an address and the name that belongs to it. */
export type AddressFields = { address: string; name: string };

/** Throws Invalid if a field contains more items than a limit allows. */
export function atMost(field: string, count: number, limit: LimitName, things: string): void {
  const most = limitOf(limit);
  if (count > most) throw invalid(field, `may have at most ${most} ${things}`, limit);
}

/** Throws Invalid for text longer than a header line, because encoding time grows faster than length. */
export function checkLine(field: string, { length }: string): void {
  atMost(field, length, 'submissions.lineCharacters', 'characters');
}

/**
 * Checks whether providers accept an address: plain, or with a quoted local part, which SendGrid and Amazon SES require for dots at the
 * ends or in a row.
 */
const isAddress = (bare: string) =>
  parseAddress(bare) !== null || (bare.startsWith('"') && parseLooseAddress(bare) !== null);

/** Returns a checked address. Throws an Invalid that names `field`. */
export function namedAddress(field: string, address: string, name: string | null): NamedAddress {
  const bare = address.trim();
  if (!isAddress(bare)) throw notAddress(field, bare);
  checkLine(field, name ?? '');
  return { name: (name ?? '').replace(/[\r\n\0]+/g, ' ').trim(), address: bare };
}

/**
 * Reads the addresses in a header's text: bare or with names, separated by commas. Decodes encoded words (RFC 2047) in names. Throws an
 * Invalid that names `field`.
 */
export function addressList(field: string, text: string): NamedAddress[] {
  atMost(field, text.length, 'submissions.addressBytes', 'characters');
  const parsed = addressparser(text, { flatten: true });
  return parsed.map(({ address = '', name = '' }) => {
    // Text without an address is parsed as a name.
    if (address === '') throw notAddress(field, name || text);
    return namedAddress(field, address, decoded(name));
  });
}

/** Decodes encoded words. Loads libmime at the first encoded word, because only the thread that reads requests needs it. */
function decoded(name: string): string {
  if (!name.includes('=?')) return name;
  const libmime: typeof import('libmime').default = require('libmime');
  return libmime.decodeWords(name);
}

function notAddress(field: string, text: string): Invalid {
  return invalid(field, `${JSON.stringify(text.slice(0, 320))} is not a valid email address`);
}

/** Reads one address in a header's text. Throws an Invalid that names `field`. */
export function oneAddress(field: string, text: string): NamedAddress {
  const [one, ...others] = addressList(field, text);
  if (one === undefined || others.length > 0) throw invalid(field, 'must be a single email address');
  return one;
}

/** Reads an object with an address and a name. Throws Invalid. */
export function addressObject(value: JsonValue, { address, name }: AddressFields): NamedAddress {
  const field = value.get(address);
  return namedAddress(field.path, field.needText(), value.get(name).text());
}

/** Reads a list of such objects. Returns an empty list if the value is missing. Throws Invalid. */
export function addressObjects(value: JsonValue, fields: AddressFields): NamedAddress[] {
  return value.list().map((item) => addressObject(item, fields));
}

/** Reads the first address in a raw email's From field. Throws an Invalid that names `field`. */
export function senderOf(field: string, raw: Uint8Array): NamedAddress {
  const [sender] = addressList(field, headerField(raw, 'From'));
  if (sender === undefined) throw invalid(field, 'has no address in its From header field');
  return sender;
}

/**
 * Returns the unfolded value of a raw email's header field. Joins several values with commas. Returns '' if there is no such field. Reads
 * only the beginning of a long header.
 */
export function headerField(raw: Uint8Array, name: string): string {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, limits.mail.headerBytes));
  const lines = start.toString().replace(/\r\n?/g, '\n');
  const end = lines.startsWith('\n') ? 0 : lines.indexOf('\n\n');
  const header = (end === -1 ? lines : lines.slice(0, end)).replace(/\n[ \t]/g, ' ');
  const values = header.split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    const found = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase() === name.toLowerCase();
    return found ? [line.slice(colon + 1).trim()] : [];
  });
  return values.filter((value) => value !== '').join(', ');
}
