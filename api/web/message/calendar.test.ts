import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCalendar } from './calendar.ts';

const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'METHOD:REQUEST', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n');
const read = (...lines: string[]) =>
  Object.fromEntries((readCalendar(calendar(...lines)) ?? []).map(({ name, value }) => [name, value]));

test('an invitation is shown in words', () => {
  const event = read(
    'SUMMARY:Release\\, then cake\\; yes',
    'DTSTART:20261121T100000Z',
    'DTEND;TZID=Europe/Berlin:20261121T120000',
    'LOCATION:Room',
    '  7',
    'ORGANIZER;CN="Ada; Lovelace":mailto:ada@example.com',
    'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:qa@app.test',
    'ATTENDEE:mailto:b@app.test',
    'DESCRIPTION:One\\nTwo \\\\n',
    'BEGIN:VALARM',
    'SUMMARY:not this',
    'END:VALARM',
  );
  assert.deepEqual(event, {
    'Asks to': 'request',
    What: 'Release, then cake; yes',
    Start: '2026-11-21 10:00 UTC',
    End: '2026-11-21 12:00 (Europe/Berlin)',
    Where: 'Room 7',
    Organiser: 'Ada; Lovelace <ada@example.com>',
    Invited: 'qa@app.test\nb@app.test',
    About: 'One\nTwo \\n',
  });
});

test('whole days and unreadable times stay as they are', () => {
  assert.deepEqual(read('DTSTART;VALUE=DATE:20261224', 'DTEND:soon', 'nonsense', 'X:'), {
    'Asks to': 'request',
    Start: '2026-12-24',
    End: 'soon',
  });
});

test('the first event is read, and a calendar without one gives null', () => {
  assert.equal(readCalendar('BEGIN:VCALENDAR\r\nSUMMARY:no\r\nEND:VCALENDAR'), null);
  const two = `${calendar('SUMMARY:first')}\r\n${calendar('SUMMARY:second')}`;
  assert.deepEqual(readCalendar(two)?.at(-1), { name: 'What', value: 'first' });
});

test('the first of thousands of guests are shown', () => {
  const event = read(...Array.from({ length: 20_000 }, (_, at) => `ATTENDEE:mailto:p${at}@example.com`));
  const guests = (event.Invited ?? '').split('\n');
  assert.equal(guests.length, 201);
  assert.deepEqual([guests[0], guests[199], guests[200]], ['p0@example.com', 'p199@example.com', '…']);
});
