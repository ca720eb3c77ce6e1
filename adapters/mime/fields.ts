import libmime from 'libmime';
import { parseAddressHeader, parseOtpToken } from 'mailparser';
import { type LimitName, limits } from '#core/limits.ts';
import type { MessageContent, NamedAddress } from '#core/messages/content.ts';
import type { HeaderField } from './header.ts';

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
};

const maxReferences = 1000;

/** Reads the fields of a message. Addresses keep their spelling; an ill-formed Date is null. Adds limits to `reached`. */
export function readFields(fields: HeaderField[], reached: Set<LimitName>): FieldContent {
  const named = groupByName(fields);
  const first = (name: string): string => named.get(name)?.[0] ?? '';
  const addressesOf = (name: string) => addresses(named.get(name) ?? [], reached);
  const otp = parseOtpToken(named.get('otp-token') ?? []);
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

/** Decodes encoded words (RFC 2047). */
function decodeWords(value: string): string {
  return value.includes('=?') ? libmime.decodeWords(value) : value;
}

function addresses(values: string[], reached: Set<LimitName>): NamedAddress[] {
  if (values.length === 0) return [];
  const parsed = parseAddressHeader(beginning(values, reached), { flatten: true, decodePunycode: false });
  const given = parsed.value.filter(({ address }) => address !== undefined && address !== '');
  if (given.length > limits.mail.addresses) reached.add('mail.addresses');
  return given.slice(0, limits.mail.addresses).map(({ name, address }) => ({ name, address: address ?? '' }));
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

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Zone names of RFC 5322 section 4.3, in hours. Any other name counts as UTC. */
const zones: ReadonlyMap<string, number> = new Map([
  ['EDT', -4],
  ['EST', -5],
  ['CDT', -5],
  ['CST', -6],
  ['MDT', -6],
  ['MST', -7],
  ['PDT', -7],
  ['PST', -8],
]);

const dateTime =
  /^(?:[a-z]{3,9},? )?([0-9]{1,2}) ([a-z]{3})[a-z]{0,6} ([0-9]{2,4}) ([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?: ?([+-][0-9]{4}|[a-z]{1,5}))?$/i;

/** End of the years that RFC 3339 can write. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Reads a Date field (RFC 5322 sections 3.3 and 4.3); null where it is ill-formed, or after the year 9999 in UTC. */
export function parseDate(value: string): Date | null {
  if (value.length > 200) return null;
  const plain = value
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const [, day, month, year, hour, minute, second, zone] = dateTime.exec(plain) ?? [];
  if (day === undefined || month === undefined || year === undefined) return null;
  const monthIndex = months.indexOf(month.toLowerCase());
  const instant = Date.UTC(
    fullYear(year),
    monthIndex,
    Number(day),
    Number(hour),
    Number(minute) - offsetMinutes(zone ?? ''),
    Number(second ?? 0),
  );
  const sound =
    monthIndex >= 0 && Number(day) >= 1 && Number(day) <= 31 && Number(hour) < 24 && Number(minute) < 60;
  return sound && instant <= lastInstant ? new Date(instant) : null;
}

/** Completes years of two and three digits (RFC 5322 section 4.3). */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length >= 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

function offsetMinutes(zone: string): number {
  if (!/^[+-]/.test(zone)) return 60 * (zones.get(zone.toUpperCase()) ?? 0);
  const minutes = 60 * Number(zone.slice(1, 3)) + Number(zone.slice(3));
  return zone.startsWith('-') ? -minutes : minutes;
}
