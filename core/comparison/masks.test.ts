import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MaskKind, maskKinds } from './kinds.ts';
import { Masks } from './masks.ts';

const cases: [kind: MaskKind, text: string, masked: string, count: number][] = [
  [
    'queries',
    'See https://app.test/a?b=1&c=2#d, or http://x.test/?q',
    'See https://app.test/a?[query]#d, or http://x.test/?[query]',
    2,
  ],
  ['queries', '<a href="https://app.test/?a=&quot;">', '<a href="https://app.test/?[query]">', 1],
  ['queries', 'Why? https://app.test', 'Why? https://app.test', 0],
  ['codes', 'Code 4938 of 14938, 49 38.', 'Code [code] of 14938, [code].', 2],
  ['ids', 'order 6F9619FF-8B86-D011-B42D-00CF4FC964FF', 'order [id]', 1],
  ['dates', 'at 2026-11-25T21:00:56.123Z or 2026-11-25', 'at [date] or [date]', 2],
];
for (const [kind, text, masked, count] of cases) {
  test(`${kind} of: ${text}`, () => {
    const masks = new Masks([kind], ['4938']);
    assert.equal(masks.text(text), masked);
    assert.deepEqual(masks.masked, { ids: 0, dates: 0, codes: 0, queries: 0, patterns: 0, [kind]: count });
    const others = maskKinds.filter((one) => one !== kind);
    if (text !== masked) assert.notEqual(new Masks(others, []).text(text), masked);
  });
}

test('fields of ids have no value, and signatures keep what does not change', () => {
  const masks = new Masks(['ids', 'dates'], []);
  const mask = (name: string, value: string) => masks.field(name, value);
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
  assert.deepEqual(masks.masked, { ids: 6, dates: 2, codes: 0, queries: 0, patterns: 0 });
});

test('masks take linear time', () => {
  const texts = [
    'https://a?'.repeat(20_000),
    'boundary='.repeat(20_000),
    'http://'.repeat(30_000),
    'https://a.test/'.repeat(15_000),
    `1-1${'-1'.repeat(100_000)}`,
  ];
  const masks = new Masks(maskKinds, ['a', '1', `1${'-1'.repeat(100_000)}`]);
  for (const text of texts) masks.field('content-type', text);
});
