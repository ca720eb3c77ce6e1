import { parseAddress } from '#core/accounts/address.ts';
import { parseDomainName } from '#core/domains/domain-name.ts';
import { foldText } from '#core/extraction/search-text.ts';
import { pathKey } from '#core/mailboxes/mailbox.ts';
import { authResults } from '#core/messages/content.ts';
import type { PartField, ResultField, State, Term, Thing } from '#core/messages/query.ts';
import { addressKey } from '#core/messages/recipients.ts';
import { tagKey } from '#core/messages/tags.ts';

/** Parses an operator's value. Returns null if the operator does not accept it. */
type Reader = (typed: string) => Term | null;

const states: State[] = ['read', 'unread', 'flagged', 'unflagged'];
const things: Thing[] = ['attachment', 'code', 'link', 'html'];

/** Operators by name, in the documentation's order. */
const readers: Record<string, Reader> = {
  from: (typed) => part('from', typed, foldedAddress(typed)),
  to: (typed) => part('to', typed, foldedAddress(typed)),
  cc: (typed) => part('cc', typed, foldedAddress(typed)),
  bcc: (typed) => part('bcc', typed, foldedAddress(typed)),
  subject: (typed) => part('subject', typed),
  body: (typed) => part('body', typed),
  filename: (typed) => part('filename', typed),
  header: headerTerm,
  'message-id': (typed) => ({ field: 'message-id', value: withoutBrackets(typed), typed }),
  address: (typed) => ({ field: 'address', value: addressKey(typed), typed }),
  tag: (typed) => ({ field: 'tag', value: tagKey(typed), typed }),
  trace: (typed) => ({ field: 'trace', value: typed.toLowerCase(), typed }),
  namespace: (typed) => ({ field: 'namespace', value: typed.toLowerCase(), typed }),
  pod: (typed) => ({ field: 'pod', value: typed.toLowerCase(), typed }),
  workload: (typed) => ({ field: 'workload', value: typed.toLowerCase(), typed }),
  in: (typed) => ({ field: 'in', value: pathKey(typed), typed }),
  account: (typed) => ({ field: 'account', value: addressKey(typed), typed }),
  domain: (typed) => ({ field: 'domain', value: parseDomainName(typed) ?? typed.toLowerCase(), typed }),
  is: (typed) => oneOf(states, typed, (state) => ({ field: 'is', state, typed })),
  has: (typed) => oneOf(things, typed.replace(/s$/i, ''), (thing) => ({ field: 'has', thing, typed })),
  larger: (typed) => sized('larger', typed),
  smaller: (typed) => sized('smaller', typed),
  after: (typed) => dated('after', typed),
  before: (typed) => dated('before', typed),
  newer_than: (typed) => aged('newer', typed),
  older_than: (typed) => aged('older', typed),
  spf: (typed) => authenticated('spf', typed),
  dkim: (typed) => authenticated('dkim', typed),
  dmarc: (typed) => authenticated('dmarc', typed),
  arc: (typed) => authenticated('arc', typed),
  audit: (typed) => ({ field: 'audit', value: typed.toLowerCase(), typed }),
  authenticated: (typed) => ({ field: 'authenticated', value: foldText(typed), typed }),
  provider: (typed) => ({ field: 'provider', value: typed.toLowerCase(), typed }),
};

/** Parses an operator with its value. Returns null for a plain word. */
export function readTerm(name: string, typed: string): Term | null {
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  return read === undefined || typed.trim() === '' ? null : read(typed);
}

/** Returns the normal form of a complete address. Folds an incomplete one. */
function foldedAddress(text: string): string {
  return foldText(parseAddress(text)?.address ?? text);
}

export function withoutBrackets(id: string): string {
  return id.trim().replace(/^<(.*)>$/s, '$1');
}

function part(field: PartField, typed: string, folded = foldText(typed)): Term | null {
  return folded === '' ? null : { field, part: folded, typed };
}

/** Parses `Name` or `Name=value`. Names of header fields consist of printable characters except the colon (RFC 5322 section 2.2). */
function headerTerm(typed: string): Term | null {
  const [, name = '', value] = /^([!-9;<>-~]+)(?:=(.*))?$/s.exec(typed) ?? [];
  if (name === '') return null;
  return { field: 'header', name: name.toLowerCase(), part: foldText(value ?? '') || null, typed };
}

function oneOf<Word extends string>(
  words: readonly Word[],
  typed: string,
  term: (word: Word) => Term,
): Term | null {
  const word = words.find((known) => known === typed.toLowerCase());
  return word === undefined ? null : term(word);
}

const authenticated = (field: ResultField, typed: string) =>
  oneOf(authResults, typed, (result) => ({ field, result, typed }));

const units = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 } as const;

/** Parses a size: `4096`, `10k`, `2M`, `1.5 MB`. `k` stands for 1,024 bytes. */
function sized(field: 'larger' | 'smaller', typed: string): Term | null {
  const [, number, unit] = /^(\d{1,12}(?:\.\d{1,3})?)\s?(b|[kmg]?)b?$/.exec(typed.toLowerCase()) ?? [];
  if (number === undefined) return null;
  return { field, bytes: Math.round(Number(number) * units[unit as keyof typeof units]), typed };
}

const durations = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Parses a duration: `30m`, `2h`, `7d`. Also accepts seconds (`s`) and weeks (`w`). */
function aged(field: 'newer' | 'older', typed: string): Term | null {
  const [, number, unit] = /^(\d{1,6})([smhdw])$/.exec(typed.toLowerCase()) ?? [];
  if (number === undefined) return null;
  return { field, ms: Number(number) * durations[unit as keyof typeof durations], typed };
}

const instant =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Parses a date, or a date with a time. UTC applies if there is no offset. */
function dated(field: 'after' | 'before', typed: string): Term | null {
  const found = instant.exec(typed);
  if (found === null) return null;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '0',
    offset = 'Z',
  ] = found;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  const at = Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3)}${zone}`);
  // `Date.parse` turns the 31st of a shorter month into the 1st of the next.
  const isDay = new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day);
  return Number.isNaN(at) || !isDay ? null : { field, at, typed };
}
