import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate, readFields } from './fields.ts';

const dates: [value: string, instant: string | null][] = [
  ['Fri, 20 Nov 2026 10:00:00 +0100', '2026-11-20T09:00:00.000Z'],
  ['20 Nov 26 10:00 EST (winter)', '2026-11-20T15:00:00.000Z'],
  ['Fri, 31 Dec 9999 23:59:59 +0000', '9999-12-31T23:59:59.000Z'],
  // RFC 3339, which responses use, ends with the year 9999.
  ['Fri, 31 Dec 9999 23:59:59 -1200', null],
  ['1 Jan 10000 00:00 +0000', null],
  ['32 Nov 2026 10:00 +0000', null],
  ['30 Feb 2026 10:00 +0000', null],
  ['29 Feb 2028 10:00 +0000', '2028-02-29T10:00:00.000Z'],
  ['28 Feb 2026 10:00 +9999', null],
  ['tomorrow', null],
  ['', null],
  // Spaces are missing, or occur where RFC 5322 section 4.3 allows them.
  ['Wed,17 Jul 2002 15:41:00 +0800', '2002-07-17T07:41:00.000Z'],
  ['Wed , 17 Jul 2002 15 : 41 : 00 +0800', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17Jul2002 15:41:00+0800', '2002-07-17T07:41:00.000Z'],
  ['Wed,\t 7 Jul 2002 15:41 +0800', '2002-07-07T07:41:00.000Z'],
  ['Wed 17 Jul 2002 15:41:00 +0800', '2002-07-17T07:41:00.000Z'],
  ['wed, 17 jul 2002 15:41:00 gmt', '2002-07-17T15:41:00.000Z'],
  // Comments occur anywhere, and nest.
  ['Wed, 17 Jul 2002 15:41:00 +0800 (a (b) c)', '2002-07-17T07:41:00.000Z'],
  ['Wed (x), 17 (y (z)) Jul 2002 15:41:00 +0800', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:00 +0800 (a \\) b)', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:00 +0800 (never closed', '2002-07-17T07:41:00.000Z'],
  // Years of two and three digits.
  ['17 Jul 49 00:00 +0000', '2049-07-17T00:00:00.000Z'],
  ['17 Jul 50 00:00 +0000', '1950-07-17T00:00:00.000Z'],
  ['17 Jul 102 00:00 +0000', '2002-07-17T00:00:00.000Z'],
  // Zones: obsolete names, military letters, none.
  ['17 Jul 2002 12:00 PDT', '2002-07-17T19:00:00.000Z'],
  ['17 Jul 2002 12:00 UT', '2002-07-17T12:00:00.000Z'],
  ['17 Jul 2002 12:00 Z', '2002-07-17T12:00:00.000Z'],
  ['17 Jul 2002 12:00 A', '2002-07-17T12:00:00.000Z'],
  ['17 Jul 2002 12:00 -0000', '2002-07-17T12:00:00.000Z'],
  ['17 Jul 2002 12:00', '2002-07-17T12:00:00.000Z'],
  // Nonstandard forms that mailers write.
  ['Wed, 17 Jul 2002 15:41:00 +08:00', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17 Jul 02 15:41:00 -600', '2002-07-17T21:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:00 GMT+0800', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17-Jul-2002 15:41:00 GMT', '2002-07-17T15:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:00.123 +0000', '2002-07-17T15:41:00.000Z'],
  ['Wednesday, 17 July 2002 15:41:00 +0000', '2002-07-17T15:41:00.000Z'],
  ['Sat, 31 Dec 2016 23:59:60 +0000', '2017-01-01T00:00:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:61 +0000', null],
  ['Wed, 17 Jul 2002 15:41:00 +0800 CST', '2002-07-17T07:41:00.000Z'],
  ['Mi, 17 Jul 2002 15:41:00 +0800', '2002-07-17T07:41:00.000Z'],
  ['mi\u00e9., 17 Jul 2002 15:41:00 +0800', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:00 GMT+08:00', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:41:00 GMT+8', '2002-07-17T07:41:00.000Z'],
  ['Wed, 17 Jul 2002 15:4:9 -0730', '2002-07-17T22:34:09.000Z'],
  // RFC 3339, Go, ctime, `date` and JavaScript.
  ['2026-11-24 10:00:00.123456789 +0100 CET', '2026-11-24T09:00:00.000Z'],
  ['2026-11-24T10:00:00Z', '2026-11-24T10:00:00.000Z'],
  ['2026-11-24t10:00:00.123+01:00', '2026-11-24T09:00:00.000Z'],
  ['2026-11-24 10:00:00 +0100', '2026-11-24T09:00:00.000Z'],
  ['2026-11-24 10:00', '2026-11-24T10:00:00.000Z'],
  ['2026-13-24T10:00:00Z', null],
  ['2026-00-24T10:00:00Z', null],
  ['2026-02-30T10:00:00Z', null],
  ['2026-11-24', null],
  ['Tue Nov 24 10:00:00 2026', '2026-11-24T10:00:00.000Z'],
  ['Wed Nov  4 10:00:00 2026 +0100', '2026-11-04T09:00:00.000Z'],
  ['Tue Nov 24 10:00:00 PST 2026', '2026-11-24T18:00:00.000Z'],
  ['Tue Nov 24 2026 10:00:00 GMT+0100 (Central European Standard Time)', '2026-11-24T09:00:00.000Z'],
  ['Nov 24, 2026 10:00', '2026-11-24T10:00:00.000Z'],
  ['Tue Nov 24 10:00:00', null],
  ['Nov 24, 2026 10:00:00 PM', null],
  ['24 Nov 2026 10:00 pm', null],
  ['Tue Nov 24 2026 10:00:00 2026', null],
  ['Tue Abc 24 10:00:00 2026', null],
];

for (const [value, instant] of dates) {
  test(`the date ${value} is ${instant}`, () => {
    assert.equal(parseDate(value)?.toISOString() ?? null, instant);
  });
}

test('reads hostile dates in little processor time', () => {
  for (const value of ['('.repeat(60_000), ' '.repeat(900), '1'.repeat(900), `Wed${' '.repeat(900)}x`]) {
    const start = process.cpuUsage();
    parseDate(value);
    assert.ok(process.cpuUsage(start).user < 100_000, value.slice(0, 4));
  }
});

/** From values, with the name and address in each. */
const mailboxes: [value: string, name: string | null, address?: string][] = [
  ['root (Cron Daemon)', 'Cron Daemon', 'root'],
  ['MAILER-DAEMON (Mail "x" Delivery System)', 'Mail "x" Delivery System', 'MAILER-DAEMON'],
  ['root (=?utf-8?q?J=C3=B6?=)', 'J\u00f6', 'root'],
  ['www-data (www-data)', 'www-data', 'www-data'],
  ['John <mailto:a@s.test>', 'John', 'a@s.test'],
  ['root@s.test (Cron Daemon)', 'Cron Daemon', 'root@s.test'],
  ['root', null],
  ['Ann Smith (Acme)', null],
  ['ann (a@s.test)', null],
  ['John <a@s.test>>', 'John', 'a@s.test'],
  ['John <<a@s.test>>', 'John', 'a@s.test'],
  ['<<a@s.test>>', '', 'a@s.test'],
  ['"John >>" <a@s.test>', 'John >>', 'a@s.test'],
  ['"J\\"ohn >>" <a@s.test>>', 'J"ohn >>', 'a@s.test'],
  ['=?iso-8859-1?Q?Celentano;_R=EDo,_grande:_?=<a@s.test>', 'Celentano; R\u00edo, grande:', 'a@s.test'],
  ['=?utf-8?Q?Line=0D=0ABcc:_x?= <a@s.test>', 'Line Bcc: x', 'a@s.test'],
];

for (const [value, name, address] of mailboxes)
  test(`${value} is ${name} at ${address}`, () => {
    const from = name === null ? null : { name, address };
    assert.deepEqual(readFields([{ name: 'From', value }], new Set()).from, from);
  });
