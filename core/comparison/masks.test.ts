import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePattern, type MaskKind, maskField, maskKinds, maskText } from './masks.ts';

const cases: [kind: MaskKind, text: string, masked: string][] = [
  [
    'queries',
    'See https://app.test/a?b=1&c=2#d, or http://x.test/?q',
    'See https://app.test/a?[query]#d, or http://x.test/?[query]',
  ],
  ['queries', '<a href="https://app.test/?a=&quot;">', '<a href="https://app.test/?[query]">'],
  ['queries', 'Why? https://app.test', 'Why? https://app.test'],
  ['codes', 'Code 4938 of 14938, 4938.', 'Code [code] of 14938, [code].'],
  ['codes', 'Code A-(1)', 'Code [code]'],
  ['ids', 'order 6F9619FF-8B86-D011-B42D-00CF4FC964FF', 'order [id]'],
  ['ids', 'https://app.test/verify/q8Zt0LxW3v9Kd72mBcPa', 'https://app.test/verify/[id]'],
  ['ids', 'a 5d41402abc4b2a76b9719d911017c592', 'a [id]'],
  ['ids', 'class="email-container-2-columns-wide"', 'class="email-container-2-columns-wide"'],
  ['ids', '1234567890123456', '[id]'],
  ['ids', 'To: signup-3f9a2c71d0@app.test, qa@app.test', 'To: [id]@app.test, qa@app.test'],
  ['ids', 'https://app.test/?e=a-aaaaaaaaaa%40app.test', 'https://app.test/?e=[id]%40app.test'],
  ['ids', 'internationalisation', 'internationalisation'],
  ['dates', 'Date: Wed, 25 Nov 2026 21:00:56 +0000 (UTC).', 'Date: [date].'],
  ['dates', 'at 2026-11-25T21:00:56.123Z or 2026-11-25', 'at [date] or [date]'],
  ['dates', 'November 25, 2026 at 9:15 pm', '[date] at [date]'],
  ['dates', 'Nov 25th 2026; 25. November 2026; 25/11/2026; 25.11.26', '[date]; [date]; [date]; [date]'],
  ['dates', 'width: 12px; 3 May orders; version 1.2.3', 'width: 12px; 3 May orders; version 1.2.3'],
];
for (const [kind, text, masked] of cases) {
  test(`${kind} of: ${text}`, () => {
    assert.equal(maskText(text, [kind], codePattern(['4938', 'A-(1)', '49', '\\d', ''])), masked);
    const others = maskKinds.filter((one) => one !== kind);
    if (text !== masked) assert.notEqual(maskText(text, others, codePattern([])), masked);
  });
}

test('fields of ids have no value, and signatures keep what does not change', () => {
  const mask = (name: string, value: string) => maskField(name, value, ['ids', 'dates'], codePattern([]));
  assert.equal(mask('message-id', '<1@x.test>'), '[id]');
  assert.equal(mask('references', '<1@x.test> <2@x.test>'), '[id]');
  assert.equal(mask('subject', '<1@x.test>'), '<1@x.test>');
  assert.equal(mask('content-type', 'multipart/mixed; boundary="a b;c"'), 'multipart/mixed; boundary=[id]');
  assert.equal(
    mask('received', 'from a.test by b.test with ESMTP id 4XyZ; Wed, 25 Nov 2026 21:00:56 +0000'),
    'from a.test by b.test with ESMTP id [id]; [date]',
  );
  assert.equal(
    mask('dkim-signature', 'v=1; a=rsa-sha256; d=x.test; s=k1; t=1795640456; bh=abc=; b=de f='),
    'v=1; a=rsa-sha256; d=x.test; s=k1; t=[date]; bh=[id]; b=[id]',
  );
});

test('a million lines are masked by one expression of the codes', () => {
  const codes = codePattern(Array.from({ length: 20 }, (_, at) => `${100_000 + at}`));
  for (let line = 0; line < 1_000_000; line += 1) maskText('1', ['codes'], codes);
});

test('masks take linear time', () => {
  const texts = [
    'a-'.repeat(500_000),
    '-0123456789'.repeat(100_000),
    '1:'.repeat(500_000),
    'https://a?'.repeat(100_000),
    'boundary='.repeat(100_000),
    'http://'.repeat(150_000),
    'https://a.test/'.repeat(70_000),
    `1-1${'-1'.repeat(500_000)}`,
  ];
  for (const text of texts)
    maskField('content-type', text, maskKinds, codePattern(['a', '1', `1${'-1'.repeat(500_000)}`]));
});
