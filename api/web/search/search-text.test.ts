import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allMail } from '../place-url.ts';
import { forRule, operatorWith, textOf } from './search-text.ts';

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

test('a value with a space or a sign of the language is quoted', () => {
  assert.equal(operatorWith('tag', 'smoke'), 'tag:smoke');
  assert.equal(operatorWith('tag', 'a (b)'), 'tag:"a (b)"');
  assert.equal(operatorWith('tag', 'say "hi"'), String.raw`tag:"say \"hi\""`);
});
