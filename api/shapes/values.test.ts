import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimestamp, presentInstant } from './values.ts';

const cases: [string, string | null][] = [
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.000+00:00'],
  ['2026-11-21T10:00:00.000+00:00', '2026-11-21T10:00:00.000+00:00'],
  ['2026-11-21T10:00:00.123456+02:00', '2026-11-21T08:00:00.123+00:00'],
  ['2026-11-21T10:00:00,5-0330', '2026-11-21T13:30:00.500+00:00'],
  ['2026-11-21T10:00+01', '2026-11-21T09:00:00.000+00:00'],
  ['20261121T100000Z', '2026-11-21T10:00:00.000+00:00'],
  ['2024-02-29t00:00:00z', '2024-02-29T00:00:00.000+00:00'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000+00:00'],
  ['9999-12-31T23:59:59-23:59', null],
  ['0000-01-01T00:00:00+01:00', null],
  ['2026-02-29T00:00:00Z', null],
  ['2026-13-01T00:00:00Z', null],
  ['2026-11-21T24:00:00Z', null],
  ['2026-11-21T10:60:00Z', null],
  ['2026-11-21T10:00:00', null],
  ['2026-11-21', null],
  ['2026-1121T10:00:00Z', null],
  ['Sat, 21 Nov 2026 10:00:00 GMT', null],
  [' 2026-11-21T10:00:00Z', null],
  ['1795255200000', null],
  ['', null],
];

for (const [text, expected] of cases) {
  test(`the timestamp "${text}" is ${expected ?? 'none'}`, () => {
    const date = parseTimestamp(text);
    assert.equal(date === null ? null : presentInstant(date), expected);
  });
}

test('instants of the same minute, and of others after them, are formatted in full', () => {
  const minute = Date.UTC(2026, 10, 21, 10, 0);
  for (let ms = -60_000; ms < 120_000; ms += 7) {
    const date = new Date(minute + ms);
    assert.equal(presentInstant(date), date.toISOString().replace('Z', '+00:00'));
  }
  for (const time of [-1, 0, -62_167_219_200_000, 253_402_300_799_999, minute]) {
    const date = new Date(time);
    assert.equal(presentInstant(date), date.toISOString().replace('Z', '+00:00'));
  }
  assert.throws(() => presentInstant(new Date(Number.NaN)), RangeError);
});
