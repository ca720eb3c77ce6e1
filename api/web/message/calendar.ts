/** Properties of a calendar file's first event, as text. Times stay in the file's time zone, and are formatted for reading. */
export type CalendarEvent = { name: string; value: string }[];

const shown: [property: string, name: string][] = [
  ['SUMMARY', 'What'],
  ['DTSTART', 'Start'],
  ['DTEND', 'End'],
  ['DURATION', 'Lasts'],
  ['RRULE', 'Repeats'],
  ['LOCATION', 'Where'],
  ['ORGANIZER', 'Organiser'],
  ['ATTENDEE', 'Invited'],
  ['STATUS', 'State'],
  ['DESCRIPTION', 'About'],
];

/** Reads a calendar's first VEVENT (RFC 5545). Returns null if there is no event, or if the event has no property to display. */
export function readCalendar(text: string): CalendarEvent | null {
  // RFC 5545 section 3.1: a line continues in the next line if that line begins with white space.
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const start = lines.findIndex((line) => /^BEGIN:VEVENT$/i.test(line.trim()));
  if (start === -1) return null;
  const properties = propertiesOf(lines.slice(start + 1));
  const method = lines.find((line) => /^METHOD:/i.test(line))?.slice('METHOD:'.length);
  const event = shown.flatMap(([property, name]) => {
    const values = properties.get(property);
    return values === undefined ? [] : [{ name, value: values.join('\n') }];
  });
  if (event.length === 0) return null;
  return method === undefined ? event : [{ name: 'Asks to', value: method.trim().toLowerCase() }, ...event];
}

/** Maximum number of displayed values of one property. */
const mostValues = 200;

/** Collects the properties up to the event's end. Skips properties of nested components, such as alarms. */
function propertiesOf(lines: string[]): Map<string, string[]> {
  const properties = new Map<string, string[]>();
  let within = 0;
  for (const line of lines) {
    if (/^END:VEVENT$/i.test(line.trim())) break;
    if (/^BEGIN:/i.test(line)) within++;
    else if (/^END:/i.test(line)) within--;
    else if (within === 0) {
      const [, name, parameters = '', value = ''] =
        /^([\w-]+)((?:;[\w-]+=(?:"[^"]*"|[^":;])*)*):([\s\S]*)$/.exec(line) ?? [];
      if (name === undefined) continue;
      const key = name.toUpperCase();
      const values = properties.get(key) ?? [];
      if (values.length < mostValues) values.push(readable(key, parameters, value));
      else values[mostValues] = '…';
      properties.set(key, values);
    }
  }
  return properties;
}

function readable(name: string, parameters: string, value: string): string {
  if (name.startsWith('DT')) return time(value, parameter(parameters, 'TZID'));
  if (name === 'ORGANIZER' || name === 'ATTENDEE') {
    const address = value.replace(/^mailto:/i, '');
    const person = parameter(parameters, 'CN');
    return person === null || person === address ? address : `${person} <${address}>`;
  }
  // RFC 5545 section 3.3.11.
  return value.replace(/\\([nN,;\\])/g, (_, escaped: string) => (/n/i.test(escaped) ? '\n' : escaped));
}

/** Formats `20261121T100000Z` as `2026-11-21 10:00 UTC` (RFC 5545 sections 3.3.4 and 3.3.5). */
function time(value: string, zone: string | null): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})\d{2}(Z)?)?$/.exec(value.trim()) ?? [];
  if (year === undefined) return value;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  return `${date} ${hour}:${minute}${utc === undefined ? (zone === null ? '' : ` (${zone})`) : ' UTC'}`;
}

const parameter = (parameters: string, name: string): string | null =>
  new RegExp(`;${name}=(?:"([^"]*)"|([^;]*))`, 'i')
    .exec(parameters)
    ?.slice(1)
    .find((found) => found !== undefined) ?? null;
