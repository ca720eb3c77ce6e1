import { withoutComments } from '#core/messages/comments.ts';

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

/** Blanks may be missing or stand anywhere (RFC 5322 section 4.3), but for the one between year and hour. */
const dateTime =
  /^(?:[a-z]{3,9} ?[,.]? ?)?([0-9]{1,2}) ?-?([a-z]{3})[a-z]{0,6}[.]? ?-?([0-9]{2,4}),? ([0-9]{1,2}) ?: ?([0-9]{2}) ?(?:: ?([0-9]{2})(?:[.][0-9]{1,9})? ?)?([+-] ?[0-9]{3,4}|[+-][0-9]{2}:[0-9]{2}|[a-z]{1,5}(?:[+-][0-9]{4})?)?$/i;

/** End of the years that RFC 3339 can write. */
const lastInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const longestDate = 1000;

/** Reads a Date field (RFC 5322 sections 3.3 and 4.3); null where it is ill-formed, or after the year 9999 in UTC. */
export function parseDate(value: string): Date | null {
  if (value.length > longestDate) return null;
  const plain = withoutComments(value).replace(/\s+/g, ' ').trim();
  if (plain.length > 100) return null;
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

/** Reads `+0100`, `+01:00`, `GMT+0100` and names. */
function offsetMinutes(zone: string): number {
  const [, sign, hours, minutes] = /([+-]) ?([0-9]{1,2}):?([0-9]{2})$/.exec(zone) ?? [];
  if (sign === undefined) return 60 * (zones.get(zone.toUpperCase()) ?? 0);
  const offset = 60 * Number(hours) + Number(minutes);
  return sign === '-' ? -offset : offset;
}
