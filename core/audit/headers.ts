import type { AuditFacts } from './facts.ts';
import { type Finding, finding } from './finding.ts';

const dayMs = 24 * 3600_000;

/** Checks whether the header fields of RFC 5322 section 3.6 and RFC 2045 section 4 are present, unique and well-formed. */
export function auditHeaders(facts: AuditFacts): Finding[] {
  const named: Named = Map.groupBy(facts.headers, ({ name }) => name.toLowerCase());
  const findings = fields.map((field) => auditField(field, named));
  return [
    ...findings,
    ...auditDate(named, facts.receivedAt),
    auditRepeated(named),
    ...auditUnsubscribe(named),
  ];
}

/** Header fields, grouped by their names in lower case. */
type Named = Map<string, { value: string }[]>;

type Field = {
  name: string;
  missing: { severity: Finding['severity']; detail: string };
  isSound(value: string): boolean;
  /** Finding for a malformed value. */
  broken: { severity: Finding['severity']; detail: string };
};

const fields: Field[] = [
  {
    name: 'Message-ID',
    missing: { severity: 'warning', detail: 'Add a Message-ID: large receivers refuse mail without one.' },
    isSound: isMessageId,
    broken: { severity: 'warning', detail: 'Write the Message-ID as <unique@domain>.' },
  },
  {
    name: 'Date',
    missing: { severity: 'critical', detail: 'Add a Date: RFC 5322 requires it.' },
    isSound: (value) => readDateTime(value) !== null,
    broken: { severity: 'critical', detail: 'Write the Date in the form "Sat, 21 Nov 2026 10:00:00 +0000".' },
  },
  {
    name: 'From',
    missing: { severity: 'critical', detail: 'Add a From: RFC 5322 requires it.' },
    isSound: hasMailbox,
    broken: { severity: 'critical', detail: 'Format From as name <local@domain>.' },
  },
  {
    name: 'To',
    missing: { severity: 'warning', detail: 'Add a To: mail without one looks like spam.' },
    isSound: hasAddressee,
    broken: { severity: 'warning', detail: 'Write To as name <local@domain>, separated by commas.' },
  },
  {
    name: 'Subject',
    missing: { severity: 'warning', detail: 'Add a Subject: mail without one looks like spam.' },
    isSound: (value) => value.trim() !== '',
    broken: { severity: 'warning', detail: 'The Subject is empty. Say what the message is about.' },
  },
  {
    name: 'MIME-Version',
    missing: {
      severity: 'warning',
      detail: 'Add MIME-Version: 1.0. Without it, Content fields have no effect.',
    },
    isSound: (value) =>
      /^1\s*\.\s*0$/.test(
        value
          .slice(0, 998)
          .replace(/\([^()]*\)/g, '')
          .trim(),
      ),
    broken: { severity: 'warning', detail: 'Write MIME-Version: 1.0, the only version.' },
  },
];

function auditField({ name, missing, isSound, broken }: Field, named: Named): Finding {
  const id = name.toLowerCase();
  const values = valuesOf(named, name);
  const [value] = values;
  if (value === undefined) {
    const isPlain = name === 'MIME-Version' && ![...named.keys()].some((key) => key.startsWith('content-'));
    if (isPlain)
      return finding('passed', id, 'No MIME', 'A message without Content fields does not need MIME-Version.');
    return finding(missing.severity, id, `No ${name}`, missing.detail);
  }
  if (values.length > 1) {
    return finding(
      'critical',
      id,
      `${values.length} ${name} fields`,
      `Write ${name} only once: receivers can't tell which one counts.`,
    );
  }
  return isSound(value)
    ? finding('passed', id, name, 'The field occurs once and is well-formed.')
    : finding(broken.severity, id, `Malformed ${name}`, broken.detail);
}

function auditDate(named: Named, receivedAt: Date): Finding[] {
  const [value, more] = valuesOf(named, 'Date');
  const date = value === undefined || more !== undefined ? null : readDateTime(value);
  if (date === null) return [];
  const days = (date.getTime() - receivedAt.getTime()) / dayMs;
  const side = days < 0 ? 'before' : 'after';
  const detail = `The Date is ${Math.round(Math.abs(days) * 10) / 10} days ${side} the message arrived. Correct the sender's clock.`;
  return [
    Math.abs(days) > 1
      ? finding('warning', 'date-offset', 'Date far off', detail)
      : finding('passed', 'date-offset', 'Date close to arrival', 'The Date is within 24 hours of arrival.'),
  ];
}

/** Other fields that may occur only once. For the fields in `fields`, their own finding reports a repetition. */
const singletons = [
  'Sender',
  'Reply-To',
  'Cc',
  'Bcc',
  'In-Reply-To',
  'References',
  'Content-Type',
  'Content-Transfer-Encoding',
  'Content-Disposition',
  'Content-ID',
];

function auditRepeated(named: Named): Finding {
  const repeated = singletons.filter((name) => (named.get(name.toLowerCase())?.length ?? 0) > 1);
  return repeated.length > 0
    ? finding(
        'critical',
        'duplicate-headers',
        'Repeated fields',
        `Write these fields only once: ${repeated.join(', ')}.`,
      )
    : finding(
        'passed',
        'duplicate-headers',
        'No repeated fields',
        'No field that must be unique is repeated.',
      );
}

/** Checks List-Unsubscribe (RFC 2369 section 3.2) and its one-click variant (RFC 8058). */
function auditUnsubscribe(named: Named): Finding[] {
  const id = 'list-unsubscribe';
  const oneClickId = 'list-unsubscribe-one-click';
  const value = valuesOf(named, 'List-Unsubscribe').join(', ').slice(0, 10_000);
  const post = valuesOf(named, 'List-Unsubscribe-Post').map((text) => text.trim().toLowerCase());
  if (value === '') {
    const advice = 'Add List-Unsubscribe to bulk mail: large receivers require it.';
    return [finding('info', id, 'No List-Unsubscribe', advice)];
  }
  const uris = [...value.matchAll(/<\s*(https?|mailto):[^<>]+>/gi)].map(([, scheme = '']) =>
    scheme.toLowerCase(),
  );
  if (uris.length === 0) {
    return [
      finding(
        'warning',
        id,
        'Malformed List-Unsubscribe',
        'Write List-Unsubscribe as <https://…>, <mailto:…>.',
      ),
    ];
  }
  const found = finding('passed', id, 'List-Unsubscribe', 'The field is well-formed.');
  if (uris.includes('https') && post.length === 1 && post[0] === 'list-unsubscribe=one-click') {
    return [
      found,
      finding('passed', oneClickId, 'One-click unsubscribe', 'Both header fields follow RFC 8058.'),
    ];
  }
  const advice = 'Add an https address and List-Unsubscribe-Post: List-Unsubscribe=One-Click (RFC 8058).';
  return [found, finding('warning', oneClickId, 'No one-click unsubscribe', advice)];
}

function valuesOf(named: Named, name: string): string[] {
  return (named.get(name.toLowerCase()) ?? []).map(({ value }) => value);
}

/** Maximum characters that are read from a value. Bounds the patterns below. */
const longest = 10_000;

const day = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),)?';
const date = '(\\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\\d{4})';
const time = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d|60))? ([+-]\\d{4}|GMT|UT)';
const dateTime = new RegExp(`^${day} ?${date} ${time}$`, 'i');

/**
 * Parses a date-time that has the format of RFC 5322 section 3.3, with GMT and UT also allowed as zones. Returns null for any other
 * value.
 */
export function readDateTime(value: string): Date | null {
  const plain = value
    .slice(0, longest)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const found = dateTime.exec(plain);
  if (found === null) return null;
  const [, dayOfMonth = '', month = '', year = '', hour = '', minute = '', second = '0', zone = ''] = found;
  // `Date` does not support leap seconds, so 60 becomes 59.
  const seconds = String(Math.min(59, Number(second))).padStart(2, '0');
  const offset = zone.length === 5 ? zone : '+0000';
  const instant = new Date(`${dayOfMonth} ${month} ${year} ${hour}:${minute}:${seconds} ${offset}`);
  const local = new Date(`${dayOfMonth} ${month} ${year} 00:00:00 +0000`);
  return Number.isNaN(instant.getTime()) || local.getUTCDate() !== Number(dayOfMonth) ? null : instant;
}

/** Checks for a value of the form `<left@right>` (RFC 5322 section 3.6.4). */
export function isMessageId(value: string): boolean {
  return value.length <= 998 && /^\s*<[^\s<>@]+@[^\s<>@]+>\s*$/.test(value);
}

/** Checks for a mailbox list (RFC 5322 section 3.4) with at least one address. */
export function hasMailbox(value: string): boolean {
  return mailboxes(value).some((mailbox) => /(?:^|<)[^\s<>@]+@[^\s<>@]+>?$/.test(mailbox));
}

/** Checks for a mailbox list or an empty group, which senders use to hide the recipients. */
export function hasAddressee(value: string): boolean {
  return hasMailbox(value) || /^[^:;<>@]+:\s*;$/.test(value.slice(0, longest).trim());
}

function mailboxes(value: string): string[] {
  return withoutQuotes(value.slice(0, longest))
    .replace(/\([^()]*\)/g, ' ')
    .replace(/^[^:;<>@]+:([^;]*);$/, '$1')
    .split(',')
    .map((mailbox) => mailbox.trim());
}

/**
 * Replaces quoted strings with words in one pass, up to an unclosed string. A regular expression would search for the end again from each
 * quote.
 */
function withoutQuotes(value: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let start = value.indexOf('"'); start >= 0; start = value.indexOf('"', at)) {
    let end = start + 1;
    while (end < value.length && value[end] !== '"') end += value[end] === '\\' ? 2 : 1;
    if (end >= value.length) break;
    parts.push(value.slice(at, start), 'quoted');
    at = end + 1;
  }
  return parts.join('') + value.slice(at);
}
