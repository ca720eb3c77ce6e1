/** Calendar date and time with offset, in ISO 8601's extended or basic format. Minutes and seconds may be missing. */
const pattern =
  /^(\d{4})(-?)(\d\d)\2(\d\d)[Tt](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

/**
 * Returns the instant that an ISO 8601 timestamp with offset or `Z` names, to the millisecond, and null for any other text.
 */
export function parseTimestamp(text: string): Date | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  const [
    ,
    year,
    ,
    month,
    day,
    hour,
    minute = '0',
    second = '0',
    fraction = '',
    sign,
    ahead = '0',
    aheadMinute = '0',
  ] = match;
  const fields = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = fields;
  if (h > 23 || mi > 59 || s > 59 || Number(ahead) > 23 || Number(aheadMinute) > 59) return null;
  const local = new Date(0);
  local.setUTCFullYear(y, mo - 1, d);
  // A day that the month does not have would have rolled over into the next.
  if (local.getUTCMonth() !== mo - 1 || local.getUTCDate() !== d) return null;
  local.setUTCHours(h, mi, s, Number(fraction.padEnd(3, '0').slice(0, 3)));
  const offsetMs = (Number(ahead) * 60 + Number(aheadMinute)) * 60_000;
  const instant = new Date(local.getTime() - (sign === '-' ? -offsetMs : offsetMs));
  // Answers have years of four digits.
  return instant.getUTCFullYear() >= 0 && instant.getUTCFullYear() <= 9999 ? instant : null;
}

/** Formats an instant for an answer: `2026-11-21T10:00:00.000+00:00`. */
export function presentInstant(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}
