import libmime from 'libmime';
import { parseAddressHeader, parseOtpToken } from 'mailparser';
import type { MessageContent, NamedAddress } from '#core/messages/content.ts';
import { parseDate } from './mail-parser-date.ts';
import type { HeaderField } from './mime-header.ts';

/** What a message's header fields alone tell. */
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
  /** Values of the List-Unsubscribe fields (RFC 2369), and the code of a valid OTP-Token field. */
  listUnsubscribe: string;
  otpToken: string | null;
};

const MAX_ADDRESSES = 1000;
const MAX_REFERENCES = 1000;

/** Reads the fields of a message. Addresses keep their spelling; a Date that cannot be read is null. */
export function readFields(fields: HeaderField[]): FieldContent {
  const named = groupByName(fields);
  const first = (name: string): string => named.get(name)?.[0] ?? '';
  const otp = parseOtpToken(named.get('otp-token') ?? []);
  return {
    msgid: messageIds(first('message-id'))[0] ?? bracketed(first('message-id')),
    subject: decodeWords(first('subject')),
    from: addresses(named.get('from'))[0] ?? null,
    to: addresses(named.get('to')),
    cc: addresses(named.get('cc')),
    bcc: addresses(named.get('bcc')),
    replyTo: addresses(named.get('reply-to')),
    date: parseDate(first('date')),
    inReplyTo: messageIds(first('in-reply-to'))[0] ?? bracketed(first('in-reply-to')),
    references: messageIds((named.get('references') ?? []).join(' ')).slice(0, MAX_REFERENCES),
    headers: fields.map(({ name, value }) => ({ name, value: decodeWords(value) })),
    listUnsubscribe: (named.get('list-unsubscribe') ?? []).join(','),
    otpToken: otp?.code ?? null,
  };
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

/** RFC 2047 */
function decodeWords(value: string): string {
  return value.includes('=?') ? libmime.decodeWords(value) : value;
}

function addresses(values: string[] | undefined): NamedAddress[] {
  if (values === undefined) return [];
  const parsed = parseAddressHeader(values, { flatten: true, decodePunycode: false });
  return parsed.value
    .filter(({ address }) => address !== undefined && address !== '')
    .slice(0, MAX_ADDRESSES)
    .map(({ name, address }) => ({ name, address: address ?? '' }));
}

/** The ids in angle brackets, and unbracketed words that can only be ids. */
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
