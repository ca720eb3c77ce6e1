import { createRequire } from 'node:module';
import addressparser from 'nodemailer/lib/addressparser';
import { type LimitName, limits } from '#core/limits.ts';
import { withoutComments } from '#core/messages/comments.ts';
import type { MessageContent, NamedAddress } from '#core/messages/content.ts';
import { type Trace, traceOf } from '#core/messages/trace-context.ts';
import type { HeaderField } from './header.ts';
import { decodeWords } from './words.ts';

/** Content that only the message's header fields determine. */
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
  /** Values of the Auto-Submitted fields (RFC 3834). */
  autoSubmitted: string[];
  /** Values of the X-Autoreply and X-Autorespond fields. */
  autoReply: string[];
  /** Addresses in the X-Failed-Recipients fields, which Exim and Google write. */
  failedRecipients: NamedAddress[];
  /** Trace named by the field `traceparent`. */
  trace: Trace | null;
  /** Code from a valid OTP-Token field. */
  otpToken: string | null;
  /** Character set of the first field with undecodable encoded words. */
  undecodable: string | null;
};

const maxReferences = 1000;

/** Reads a message's fields. Addresses keep their spelling; a malformed Date is null. Adds limits to `reached`. */
export function readFields(fields: HeaderField[], reached: Set<LimitName>): FieldContent {
  const named = groupByName(fields);
  const first = (name: string): string => named.get(name)?.[0] ?? '';
  const addressesOf = (name: string) => addresses(named.get(name) ?? [], reached);
  const traceparent = named.get('traceparent');
  const headers = fields.map(({ name, value }) => ({ name, value: decoded(value) }));
  const broken = fields.find(({ value }, at) => isBroken(value, headers[at]?.value ?? ''))?.value;
  return {
    msgid: messageIds(first('message-id'))[0] ?? bracketed(first('message-id')),
    subject: decoded(first('subject')),
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
    autoSubmitted: (named.get('auto-submitted') ?? []).map(decoded),
    autoReply: ['x-autoreply', 'x-autorespond'].flatMap((name) => named.get(name) ?? []),
    failedRecipients: addressesOf('x-failed-recipients'),
    trace: traceparent ? traceOf(traceparent.map((value) => value.trim())) : null,
    otpToken: otpTokenOf(named.get('otp-token')),
    undecodable: broken === undefined ? null : (/=\?([^?*\s]{1,60})/.exec(broken)?.[1] ?? ''),
  };
}

const require = createRequire(import.meta.url);

/** Returns the code of an OTP-Token field. Loads mailparser with the first such field, because few emails have one. */
function otpTokenOf(values: string[] | undefined): string | null {
  if (values === undefined) return null;
  const { parseOtpToken }: typeof import('mailparser') = require('mailparser');
  return parseOtpToken(values)?.code ?? null;
}

/** Decodes the encoded words of a value that may contain some. A line break in a word becomes a space, because a field is one line. */
function decoded(value: string): string {
  return value.includes('=?') ? decodeWords(value).replace(/\p{Cc}+/gu, ' ') : value;
}

/** Checks whether a value contains undecodable encoded words. */
function isBroken(raw: string, value: string): boolean {
  return value !== raw && value.includes('\ufffd') && !raw.includes('\ufffd');
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
  const parsed = beginning(values, reached).flatMap(parseAddresses);
  const given = parsed.map(decodeAddress).filter(({ address }) => address !== '');
  if (given.length > limits.mail.addresses) reached.add('mail.addresses');
  return given.slice(0, limits.mail.addresses);
}

/** Matches local users as cron and bounces write them (`root (Cron Daemon)`): the parser reads a single word as a name. */
const localUser = /^\s*([\w.+-]+)\s*\(([^()@]*)\)\s*$/;

/** Matches an address in brackets, without a name or after plain words. */
const plainAddress = /^((?:[A-Za-z]+ )*)<([\w.+-]+@[\w.-]+)>$/;

/** Reads a value's addresses. Closing brackets outside quotes may be repeated, and encoded words may contain any character. */
function parseAddresses(value: string): NamedAddress[] {
  const [, words = '', plain] = plainAddress.exec(value) ?? [];
  if (plain !== undefined) return [{ name: words, address: plain }];
  const [, address, name = ''] = localUser.exec(value) ?? [];
  if (address !== undefined) return [{ name, address }];
  const read = value.replace(/"(?:[^"\\]|\\.)*"?|>+|=\?[^?\s]{1,100}\?q\?[^?"<>]*\?=/gis, (found) =>
    found[0] === '>' ? '>' : found[0] === '=' ? found.replace(/[(),:;@]/g, escaped) : found,
  );
  return addressparser(read, { flatten: true });
}

function escaped(sign: string): string {
  return `=${sign.charCodeAt(0).toString(16)}`;
}

/**
 * Decodes the name. An address contains no encoded words (RFC 2047 section 5): an encoded one counts only if it decodes to a plain
 * address.
 */
function decodeAddress({ name, address }: NamedAddress): NamedAddress {
  const plain = decoded(address).replace(/^mailto:/i, '');
  const isPlain = plain === address || /^[^\s@]+@[^\s@]+$/.test(plain);
  return { name: decoded(name).trim(), address: isPlain ? plain : '' };
}

/** Truncates fields at the limits, between addresses. The number of commas allowed includes one within each name. */
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

/** Reads ids in angle brackets. A word without brackets counts as an id if it contains an @. */
function messageIds(value: string): string[] {
  if (value === '') return [];
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

/** Spaces may be missing or occur anywhere (RFC 5322 section 4.3), but the year and the hour must be separated. */
const dateTime =
  /^(?:\p{L}{2,12} ?[,.]{0,2} ?)?([0-9]{1,2}) ?-?([a-z]{3})[a-z]{0,6}[.]? ?-?([0-9]{2,4}),? ([0-9]{1,2}) ?: ?([0-9]{1,2}) ?(?:: ?([0-9]{1,2})(?:[.][0-9]{1,9})? ?)?([+-] ?[0-9]{3,4}|[+-][0-9]{2}:[0-9]{2}|[a-z]{1,5}(?:[+-][0-9]{1,2}(?::?[0-9]{2})?)?)?$/iu;

/**
 * Dates of RFC 3339 and Go, and of ctime, `date` and JavaScript. The latter start with the month and may have the year after the time.
 */
const isoDate = /^([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]/i;
const monthFirst =
  /^(?:\p{L}{2,12}[,.]{0,2} )?([a-z]{3})[a-z]{0,6}[.]? ([0-9]{1,2}),? (?:([0-9]{4}),? )?([0-9:]{4,8})( [a-z]{1,5})?(?: ([0-9]{4}))?( ?[^ ]*)$/iu;

/** End of the years that RFC 3339 can represent. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const longestDate = 1000;

/**
 * Parses a Date field (RFC 5322 sections 3.3 and 4.3, and other forms in use). Returns null for any other text, or for a date after the
 * year 9999 in UTC.
 */
export function parseDate(value: string): Date | null {
  if (value.length > longestDate) return null;
  const plain = withoutComments(value).replace(/\s+/g, ' ').trim();
  // Twelve-hour times are not parsed, and `PM` is not a zone.
  if (plain.length > 100 || /[0-9] ?[ap]m\b/i.test(plain)) return null;
  const ordered = plain
    .replace(isoDate, (_, year, month, day) => `${day} ${months[month - 1]} ${year} `)
    .replace(monthFirst, '$2 $1 $3$6 $4$5$7')
    .replace(/([+-][0-9]{4}) [a-z]{1,5}$/i, '$1');
  const [, day, month, year, hour, minute, second, zone] = dateTime.exec(ordered) ?? [];
  if (day === undefined || month === undefined || year === undefined) return null;
  const monthIndex = months.indexOf(month.toLowerCase());
  const [whole, date] = [fullYear(year), Number(day)];
  const instant = Date.UTC(
    whole,
    monthIndex,
    date,
    Number(hour),
    Number(minute) - offsetMinutes(zone ?? ''),
    Number(second ?? 0),
  );
  const lastDate = new Date(Date.UTC(whole, monthIndex + 1, 0)).getUTCDate();
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second ?? 0) <= 60;
  const sound = monthIndex >= 0 && date >= 1 && date <= lastDate && isTime;
  return sound && instant <= lastInstant ? new Date(instant) : null;
}

/** Completes two- and three-digit years (RFC 5322 section 4.3). */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length >= 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

/** Parses `+0100`, `+01:00`, `GMT+0100`, `GMT+1` and names. Returns NaN if the minutes exceed 59 (RFC 5322 section 3.3). */
function offsetMinutes(zone: string): number {
  const [, sign, hours, minutes = 0] = /([+-]) ?([0-9]{1,2})(?::?([0-9]{2}))?$/.exec(zone) ?? [];
  if (sign === undefined) return 60 * (zones.get(zone.toUpperCase()) ?? 0);
  const offset = Number(minutes) < 60 ? 60 * Number(hours) + Number(minutes) : Number.NaN;
  return sign === '-' ? -offset : offset;
}
