import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allMail } from '../place-url.ts';
import { forRule, isJoined, placesOf, type Term, textOf, without } from './search-text.ts';

const term = (field: string, value: string, negated = false): Term => ({
  field,
  operator: 'contains',
  value,
  negated,
});

const removals: [text: string, terms: Term[], remove: number, rest: string | null][] = [
  ['from:shop', [term('from', 'shop')], 0, ''],
  ['invoice from:shop is:unread', [term('from', 'shop'), term('is', 'unread')], 0, 'invoice is:unread'],
  ['from:shop is:unread', [term('from', 'shop'), term('is', 'unread')], 1, 'from:shop'],
  ['in:"Release 4.2" code', [term('in', 'Release 4.2')], 0, 'code'],
  ['code -spam', [term('text', 'spam', true)], 0, 'code'],
  ['-"lost and found" a', [term('text', 'lost and found', true)], 0, 'a'],
  ['FROM:Shop x', [term('from', 'Shop')], 0, 'x'],
  ['header:X-Run=7 a', [term('header', 'X-Run=7')], 0, 'a'],
  ['header:X-Run="a b" c', [term('header', 'X-Run=a b')], 0, 'c'],
  ['to:a to:a b', [term('to', 'a'), term('to', 'a')], 1, 'to:a b'],
  ['from:a OR from:b', [term('from', 'a'), term('from', 'b')], 0, 'from:b'],
  ['from:a OR from:b', [term('from', 'a'), term('from', 'b')], 1, 'from:a'],
  ['from:a OR from:b OR to:c', [term('from', 'a'), term('from', 'b')], 1, 'from:a OR to:c'],
  ['x (from:a OR from:b)', [term('from', 'a'), term('from', 'b')], 1, 'x (from:a)'],
  ['x -(from:a)', [term('from', 'a', true)], 0, 'x'],
  ['words alone', [term('from', 'a')], 0, null],
];
for (const [text, terms, remove, rest] of removals) {
  test(`${text} without its term ${remove}`, () => {
    const place = placesOf(text, terms)[remove];
    assert.equal(place ? without(text, place) : null, rest);
  });
}

const joined: [text: string, joins: boolean][] = [
  ['from:a to:b', false],
  ['from:a OR to:b', true],
  ['x OR is:read', true],
  ['from:a OR', false],
  ['OR from:a', false],
  ['from:a or to:b', false],
  ['subject:"a OR b" c', false],
  ['x (from:a to:b)', true],
  ['-(from:a to:b)', true],
  ['-( from:a )', true],
  ['("a b" is:read)', true],
  ['f(a) from:b', false],
  ['from:a (b', false],
];
for (const [text, joins] of joined) {
  test(`${text} ${joins ? 'has' : 'has no'} OR or group`, () => assert.equal(isJoined(text), joins));
}

const ruled: [text: string, q: string, leftOut: string][] = [
  ['from:shop invoice', 'from:shop invoice', ''],
  ['from:shop  is:unread tag:"year end" x', 'from:shop x', 'is:unread, tag:"year end"'],
  [
    '-tag:a IN:INBOX account:q@a.test domain:a.test has:code',
    'has:code',
    '-tag:a, IN:INBOX, account:q@a.test, domain:a.test',
  ],
  [
    'after:2026-01-01 before:2026-02-01 newer_than:1d older_than:1h',
    '',
    'after:2026-01-01, before:2026-02-01, newer_than:1d, older_than:1h',
  ],
  ['tag:a OR tag:b OR tag:c OR x', 'x', 'tag:a, tag:b, tag:c'],
  ['x (tag:a OR -tag:b)', 'x', 'tag:a, -tag:b'],
  ['x (from:a OR tag:b)', 'x (from:a)', 'tag:b'],
  ['subject:"is:read it"', 'subject:"is:read it"', ''],
];
for (const [text, q, leftOut] of ruled) {
  test(`a rule takes "${q}" of ${text}`, () => {
    const found = forRule(text);
    assert.deepEqual([found.q, found.leftOut.join(', ')], [q, leftOut]);
  });
}

test('a search has what the place shows', () => {
  assert.equal(textOf({ ...allMail, q: 'code' }, null), 'code');
  assert.equal(
    textOf(
      { ...allMail, unread: true, is_flagged: true, has_attachments: true },
      { address: 'qa@app.test', path: 'Release 4.2' },
    ),
    'is:unread is:flagged has:attachment account:qa@app.test in:"Release 4.2"',
  );
});
