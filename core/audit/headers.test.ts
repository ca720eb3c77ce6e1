import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasAddressee, hasMailbox, isMessageId, readDateTime } from './headers.ts';

const dateTimes: [value: string, instant: string | null][] = [
  ['Sat, 21 Nov 2026 10:00:00 +0000', '2026-11-21T10:00:00.000Z'],
  ['21 Nov 2026 10:00 -0130', '2026-11-21T11:30:00.000Z'],
  ['Sat,21 nov 2026 10:00:00 GMT', '2026-11-21T10:00:00.000Z'],
  ['1 Jan 2026 23:59:60 UT', '2026-01-01T23:59:59.000Z'],
  ['Sat,\r\n\t21 (day) Nov  2026 10:00:00   +0100 (CET)', '2026-11-21T09:00:00.000Z'],
  ['29 Feb 2028 00:00 +0000', '2028-02-29T00:00:00.000Z'],
  ['29 Feb 2026 00:00 +0000', null],
  ['00 Jan 2026 00:00 +0000', null],
  ['21 Nov 2026 24:00 +0000', null],
  ['21 Nov 2026 10:60 +0000', null],
  ['21 Nov 2026 10:00 EST', null],
  ['Sat, 21 Nov 2026 10:00:00 +0000 and more', null],
  ['on Sat, 21 Nov 2026 10:00:00 +0000', null],
  ['2026-11-21T10:00:00Z', null],
  [`21 Nov 2026 10:00 +0000${' '.repeat(20_000)}x`, '2026-11-21T10:00:00.000Z'],
];

for (const [value, instant] of dateTimes) {
  test(`reads the date-time ${JSON.stringify(value.slice(0, 60))}`, () => {
    assert.equal(readDateTime(value)?.toISOString() ?? null, instant);
  });
}

const messageIds: [value: string, sound: boolean][] = [
  ['<a@b>', true],
  ['<left.of@right.test>', true],
  [' \r\n <a@b>\t ', true],
  ['a@b', false],
  ['x <a@b>', false],
  ['<a@b> x', false],
  ['<ab>', false],
  ['<@b>', false],
  ['<a@>', false],
  ['<a@b@c>', false],
  ['<a b@c>', false],
  ['<a@b c>', false],
  ['<<a@b>>', false],
  [`<${'a'.repeat(994)}@b>`, true],
  [`<${'a'.repeat(995)}@b>`, false],
];

for (const [value, sound] of messageIds) {
  test(`${JSON.stringify(value.slice(0, 40))} of ${value.length} is ${sound ? 'a' : 'no'} Message-ID`, () => {
    assert.equal(isMessageId(value), sound);
  });
}

const lists: [value: string, mailbox: boolean, addressee: boolean][] = [
  ['qa@app.test', true, true],
  ['QA <qa@app.test>', true, true],
  ['  qa@app.test  ', true, true],
  ['nobody, QA <qa@app.test>', true, true],
  ['qa@app.test, nobody', true, true],
  ['qa@app.test and more', false, false],
  ['QA <qa@app.test> more', false, false],
  ['QA <qa@app.test', true, true],
  ['QA', false, false],
  ['', false, false],
  ['QA <qa>', false, false],
  ['QA <@app.test>', false, false],
  ['QA <qa@>', false, false],
  ['qa (x) <qa@app.test>', true, true],
  ['qa@app.test (the team)', true, true],
  ['"Last, First" <qa@app.test>', true, true],
  ['"a@b.test"', false, false],
  ['"a@b.test" <qa@app.test>', true, true],
  ['x@y.test "a" z', false, false],
  ['"a\\" <b@c.test>" nobody', false, false],
  ['"a\\\\" <b@c.test>', true, true],
  ['"" <b@c.test>', true, true],
  ['"a" "b@c.test" d', false, false],
  ['"never closed <b@c.test>', true, true],
  ['"a" "never closed <b@c.test>', true, true],
  ['team: qa@app.test;', true, true],
  ['team: qa@app.test, b@c.test;', true, true],
  ['team: nobody;', false, false],
  ['team: qa@app.test; more', false, false],
  ['team: qa@app.test;>', false, false],
  ['"a@bc.test"', false, false],
  ['"x\\", b@c.test, "', false, false],
  ['undisclosed-recipients:;', false, true],
  ['Undisclosed recipients: ;  ', false, true],
  ['undisclosed-recipients:; more', false, false],
  ['<undisclosed-recipients:;', false, false],
  ['undisclosed-recipients:x;', false, false],
  [':;', false, false],
  [`${' '.repeat(20_000)}qa@app.test`, false, false],
  [`${' '.repeat(20_000)}team:;`, false, false],
];

for (const [value, mailbox, addressee] of lists) {
  test(`judges the address list ${JSON.stringify(value.slice(0, 40))} of ${value.length}`, () => {
    assert.deepEqual([hasMailbox(value), hasAddressee(value)], [mailbox, addressee]);
  });
}
