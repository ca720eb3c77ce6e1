import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertionOf } from './assertion.ts';

const from = { name: 'Shop', address: 'shop@app.test' };
const plain = { delivered_to: 'qa@app.test', subject: 'Hi', from, codes: [], links: [], attachments: [] };
const expected = (more: Partial<Parameters<typeof assertionOf>[0]>) =>
  assertionOf({ ...plain, ...more }).expect;

test('an assertion finds the mail by its address, and states what the next one has too', () => {
  const links = [
    { url: 'https://app.test/verify?t=1', kind: 'verify' },
    { url: 'https://other.test/verify?t=2', kind: 'verify' },
    { url: 'https://app.test/', kind: 'other' },
  ] as const;
  const attachment = { filename: 'a.pdf', content_type: 'application/pdf' };
  const found = assertionOf({ ...plain, links: [...links], attachments: [attachment] });
  assert.deepEqual(found, {
    find: { address: 'qa@app.test', wait: 30 },
    expect: [
      { subject: { equals: 'Hi' } },
      { from: { equals: 'shop@app.test' } },
      { link: { kind: 'verify', host: 'app.test' } },
      { attachment: { name: 'a.pdf', content_type: 'application/pdf' } },
    ],
  });
});

test('a code is told by its form, and one without From has no clause on it', () => {
  const forms: [string, string][] = [
    ['493817', '^\\d{6}$'],
    ['AB-12cd', '^[A-Z]{2}-\\d{2}[A-Za-z]{2}$'],
    ['12.34', '^\\d{2}\\.\\d{2}$'],
  ];
  for (const [value, matches] of forms) {
    assert.deepEqual(expected({ from: null, codes: [{ value }] })[1], { code: { matches } });
    assert.match(value, new RegExp(matches, 'u'));
  }
});
