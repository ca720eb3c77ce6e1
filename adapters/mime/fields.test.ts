import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from './fields.ts';

const dates: [value: string, instant: string | null][] = [
  ['Fri, 20 Nov 2026 10:00:00 +0100', '2026-11-20T09:00:00.000Z'],
  ['20 Nov 26 10:00 EST (winter)', '2026-11-20T15:00:00.000Z'],
  ['Fri, 31 Dec 9999 23:59:59 +0000', '9999-12-31T23:59:59.000Z'],
  // RFC 3339, which answers use, ends with the year 9999.
  ['Fri, 31 Dec 9999 23:59:59 -1200', null],
  ['1 Jan 10000 00:00 +0000', null],
  ['32 Nov 2026 10:00 +0000', null],
  ['tomorrow', null],
];

for (const [value, instant] of dates) {
  test(`the date ${value} is ${instant}`, () => {
    assert.equal(parseDate(value)?.toISOString() ?? null, instant);
  });
}
