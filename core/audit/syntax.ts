/** Characters of a value that are read, a bound for the patterns below. */
const longest = 10_000;

const day = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),)?';
const date = '(\\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (\\d{4})';
const time = '([01]\\d|2[0-3]):([0-5]\\d)(?::([0-5]\\d|60))? ([+-]\\d{4}|GMT|UT)';
const dateTime = new RegExp(`^${day} ?${date} ${time}$`, 'i');

/** Reads a date-time as RFC 5322 section 3.3 demands it, or with GMT or UT; null for any other value. */
export function readDateTime(value: string): Date | null {
  const plain = value
    .slice(0, longest)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const found = dateTime.exec(plain);
  if (found === null) return null;
  const [, dayOfMonth = '', month = '', year = '', hour = '', minute = '', second = '0', zone = ''] = found;
  // Leap seconds do not exist in Date: 60 becomes 59.
  const seconds = String(Math.min(59, Number(second))).padStart(2, '0');
  const offset = zone.length === 5 ? zone : '+0000';
  const instant = new Date(`${dayOfMonth} ${month} ${year} ${hour}:${minute}:${seconds} ${offset}`);
  const local = new Date(`${dayOfMonth} ${month} ${year} 00:00:00 +0000`);
  return Number.isNaN(instant.getTime()) || local.getUTCDate() !== Number(dayOfMonth) ? null : instant;
}

/** Tests for `<left@right>` (RFC 5322 section 3.6.4). */
export function isMessageId(value: string): boolean {
  return value.length <= 998 && /^\s*<[^\s<>@]+@[^\s<>@]+>\s*$/.test(value);
}

/** Tests for a list of mailboxes (RFC 5322 section 3.4) with at least one address. */
export function hasMailbox(value: string): boolean {
  return mailboxes(value).some((mailbox) => /(?:^|<)[^\s<>@]+@[^\s<>@]+>?$/.test(mailbox));
}

/** Tests for a mailbox list or an empty group, which stands for hidden addressees. */
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

/** Replaces quoted strings by words in one pass, up to an unclosed one. A pattern would search its end from each quote on. */
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
