import { parseOtpToken } from 'mailparser';
import addressparser from 'nodemailer/lib/addressparser';
import { type LimitName, limits } from '#core/limits.ts';
import type { MessageContent, NamedAddress } from '#core/messages/content.ts';
import { parseDate } from './dates.ts';
import type { HeaderField } from './header.ts';
import { decodeWords } from './words.ts';

/** Content of a message that its header fields alone determine. */
export type FieldContent = Pick<
  MessageContent,
  | 'msgid'
  | 'subject'
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'date'
  | 'inReplyTo'
  | 'references'
  | 'headers'
> & {
  /** Values of the List-Unsubscribe fields (RFC 2369). */
  listUnsubscribe: string;
  /** Code of a valid OTP-Token field. */
  otpToken: string | null;
  /** Character set of the first field with encoded words that do not decode. */
  undecodable: string | null;
};

const maxReferences = 1000;

/** Reads the fields of a message. Addresses keep their spelling; an ill-formed Date is null. Adds limits to `reached`. */
export function readFields(fields: HeaderField[], reached: Set<LimitName>): FieldContent {
  const named = groupByName(fields);
  const first = (name: string): string => named.get(name)?.[0] ?? '';
  const addressesOf = (name: string) => addresses(named.get(name) ?? [], reached);
  const otp = parseOtpToken(named.get('otp-token') ?? []);
  const headers = fields.map(({ name, value }) => ({ name, value: decodeWords(value) }));
  const broken = fields.find(({ value }, at) => isBroken(value, headers[at]?.value ?? ''))?.value;
  return {
    msgid: messageIds(first('message-id'))[0] ?? bracketed(first('message-id')),
    subject: decodeWords(first('subject')),
    from: addressesOf('from')[0] ?? null,
    to: addressesOf('to'),
    cc: addressesOf('cc'),
    bcc: addressesOf('bcc'),
    replyTo: addressesOf('reply-to'),
    date: parseDate(first('date')),
    inReplyTo: messageIds(first('in-reply-to'))[0] ?? bracketed(first('in-reply-to')),
    references: messageIds((named.get('references') ?? []).join(' ')).slice(0, maxReferences),
    headers,
    listUnsubscribe: (named.get('list-unsubscribe') ?? []).join(','),
    otpToken: otp?.code ?? null,
    undecodable: broken === undefined ? null : (/=\?([^?*\s]{1,60})/.exec(broken)?.[1] ?? ''),
  };
}

/** Tests for a value whose encoded words do not decode. */
function isBroken(raw: string, decoded: string): boolean {
  return decoded !== raw && decoded.includes('\ufffd') && !raw.includes('\ufffd');
}

function groupByName(fields: HeaderField[]): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const { name, value } of fields) {
    const key = name.toLowerCase();
    const values = named.get(key);
    if (values === undefined) named.set(key, [value]);
    else values.push(value);
  }
  return named;
}

function addresses(values: string[], reached: Set<LimitName>): NamedAddress[] {
  if (values.length === 0) return [];
  const parsed = beginning(values, reached).flatMap((value) => addressparser(value, { flatten: true }));
  const given = parsed.map(decodeAddress).filter(({ address }) => address !== '');
  if (given.length > limits.mail.addresses) reached.add('mail.addresses');
  return given.slice(0, limits.mail.addresses);
}

/** Decodes the name. An address has no encoded words (RFC 2047 section 5): one counts if it decodes to a plain address. */
function decodeAddress({ name, address }: NamedAddress): NamedAddress {
  const decoded = decodeWords(address);
  const isPlain = decoded === address || /^[^\s@]+@[^\s@]+$/.test(decoded);
  return { name: decodeWords(name.trim()), address: isPlain ? decoded : '' };
}

/** Cuts fields at the limits, between addresses. The number of commas allows one within each name. */
function beginning(values: string[], reached: Set<LimitName>): string[] {
  let bytes = limits.mail.addressBytes;
  let commas = 2 * limits.mail.addresses;
  const read: string[] = [];
  for (const value of values) {
    if (bytes < value.length) reached.add('mail.addressBytes');
    if (commas === 0) reached.add('mail.addresses');
    if (bytes <= 0 || commas === 0) break;
    const start = value.slice(0, bytes);
    let end = 0;
    let at = 0;
    for (; at < start.length && commas > 0; at++) {
      if (start[at] !== ',' && start[at] !== ';') continue;
      end = at;
      commas--;
    }
    if (at < start.length) reached.add('mail.addresses');
    read.push(at === value.length ? value : value.slice(0, end));
    bytes -= value.length;
  }
  return read;
}

/** Reads ids in angle brackets, and words with an @ as ids without brackets. */
function messageIds(value: string): string[] {
  return Array.from(value.matchAll(/<([^<>]*)>|[^\s<>]+/g), ([word, inside]) =>
    inside === undefined && !word.includes('@') ? '' : (inside ?? word).replace(/\s+/g, ''),
  )
    .filter((id) => id !== '')
    .map((id) => `<${id}>`);
}

function bracketed(value: string): string | null {
  const id = value.replace(/[<>\s]+/g, '');
  return id === '' ? null : `<${id}>`;
}
