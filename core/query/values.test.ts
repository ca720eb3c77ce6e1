import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readTerm } from './values.ts';

const day = Date.UTC(2026, 10, 1);

/** Name and value of an operator, and the value's meaning. Null: not a value of that operator. */
const cases: [name: string, typed: string, meaning: object | null][] = [
  ['from', 'QA+Run@BÜCHER.test', { part: 'qa+run@xn--bcher-kva.test' }],
  ['from', 'Änn', { part: 'ann' }],
  ['subject', '   ', null],
  ['header', 'X-Run=Ä 7', { name: 'x-run', part: 'a 7' }],
  ['header', 'X-Run=', { name: 'x-run', part: null }],
  ['header', '=7', null],
  ['message-id', '<A@b.test>', { value: 'A@b.test' }],
  ['message-id', 'A@b.test', { value: 'A@b.test' }],
  ['address', 'QA+Run@App.Test', { value: 'qa+run@app.test' }],
  ['tag', 'Smoke', { value: 'smoke' }],
  ['trace', '4BF92', { value: '4bf92' }],
  ['namespace', 'Shop', { value: 'shop' }],
  ['pod', 'web-1', { value: 'web-1' }],
  ['workload', 'Deployment/web', { value: 'deployment/web' }],
  ['in', 'Inbox', { value: 'inbox' }],
  ['account', 'QA@App.test', { value: 'qa@app.test' }],
  ['domain', 'App.Test.', { value: 'app.test' }],
  ['is', 'Unread', { state: 'unread' }],
  ['is', 'tagged', null],
  ['has', 'html', { thing: 'html' }],
  ['has', 'Attachments', { thing: 'attachment' }],
  ['has', 'constructor', null],
  ['larger', '4096', { bytes: 4096 }],
  ['larger', '10k', { bytes: 10_240 }],
  ['smaller', '2M', { bytes: 2 * 1024 ** 2 }],
  ['smaller', '1.5MB', { bytes: 1.5 * 1024 ** 2 }],
  ['smaller', '2 M', { bytes: 2 * 1024 ** 2 }],
  ['smaller', '2  M', null],
  ['larger', '-1', null],
  ['after', '2026-11-01', { at: day }],
  ['after', '2026/11/1', { at: day }],
  ['after', '2026-11-01T01:30', { at: day + 90 * 60_000 }],
  ['before', '2026-11-01T00:00:01.5Z', { at: day + 1500 }],
  ['before', '2026-11-01T02:00:00+02:00', { at: day }],
  ['before', '2026-11-01T02:00:00+0200', { at: day }],
  ['before', '2026-02-30', null],
  ['before', '2026-13-01', null],
  ['before', 'yesterday', null],
  ['newer_than', '30m', { field: 'newer', ms: 1_800_000 }],
  ['newer_than', '2h', { field: 'newer', ms: 7_200_000 }],
  ['older_than', '7d', { field: 'older', ms: 604_800_000 }],
  ['older_than', '7y', null],
  ['dmarc', 'FAIL', { result: 'fail' }],
  ['spf', 'maybe', null],
  ['audit', 'Critical', { value: 'critical' }],
  ['authenticated', 'CI Key', { value: 'ci key' }],
  ['provider', 'SendGrid', { value: 'sendgrid' }],
  ['list', 'x', null],
];

for (const [name, typed, meaning] of cases) {
  test(`reads ${name}:${typed}`, () => {
    const wanted = meaning && { field: name, typed, ...meaning };
    assert.deepEqual(readTerm(name, typed), wanted);
  });
}

test('no value of an operator is an error', () => {
  const names = cases.map(([name]) => name);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.string({ unit: 'binary' }), (name, typed) => {
      const term = readTerm(name, typed);
      assert.ok(term === null || term.typed === typed);
    }),
  );
});
