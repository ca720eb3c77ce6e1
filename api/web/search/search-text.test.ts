import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allMail } from '../place-url.ts';
import { placesOf, type Term, textOf, without } from './search-text.ts';

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
