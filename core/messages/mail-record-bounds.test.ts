import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import {
  boundHeaders,
  boundSummary,
  boundTexts,
  firstCharacters,
  mayBeCut,
  reachedByContent,
  wholeSummary,
} from './mail-record.ts';

const { textBytes, subjectCharacters, addressCharacters, toAddresses, headerFields, headerFieldBytes } =
  limits.answers;
const long = (length: number) => 'x'.repeat(length);
const smile = '\u{1F600}';

test('the first characters of a text tear none apart', () => {
  assert.equal(firstCharacters('abc', 3), 'abc');
  assert.equal(firstCharacters('abcd', 3), 'abc');
  assert.equal(firstCharacters(`ab${smile}`, 3), 'ab');
  assert.equal(firstCharacters(`a${smile}b`, 3), `a${smile}`);
  assert.equal(firstCharacters(`${smile}${smile}`, 2), smile);
  assert.equal(firstCharacters('ab\uD83Dc', 3), 'ab\uD83D', 'a half without its other half is no character');
  assert.equal(firstCharacters('abc\uDE00', 3), 'abc');
  assert.equal(firstCharacters(`${smile}bcd`, 3), `${smile}b`);
  assert.equal(firstCharacters(`${smile}b\uDE00`, 3), `${smile}b`);
  assert.equal(firstCharacters(`ab\uD83Dc${smile}`, 3), 'ab\uD83D');
});

test('texts are cut at their bytes, and flagged', () => {
  const whole = { text: 'short', html: null, textTruncated: false, htmlTruncated: false };
  assert.deepEqual(boundTexts(whole), whole);
  assert.deepEqual(boundTexts({}), { ...whole, text: null });
  assert.deepEqual(boundTexts({ text: null, html: 'x', htmlTruncated: true }), {
    ...whole,
    text: null,
    html: 'x',
    htmlTruncated: true,
  });
  assert.deepEqual(boundTexts({ text: 'x', textTruncated: true }), {
    ...whole,
    text: 'x',
    textTruncated: true,
  });
  const fits = long(textBytes);
  assert.deepEqual(boundTexts({ text: fits, html: fits }), { ...whole, text: fits, html: fits });
  const cut = boundTexts({ text: `${fits}x`, html: `x${'ü'.repeat(textBytes / 2)}` });
  assert.deepEqual([cut.text, cut.textTruncated], [fits, true]);
  assert.deepEqual([cut.html, cut.htmlTruncated], [`x${'ü'.repeat(textBytes / 2 - 1)}`, true]);
});

test('header fields are cut at their bytes and their number', () => {
  const short = [{ name: 'A', value: '1' }];
  assert.equal(boundHeaders(short), short);
  const fits = { name: 'B', value: long(headerFieldBytes - 1) };
  const [first, second] = boundHeaders([...short, fits]);
  assert.equal(first, short[0]);
  assert.equal(second, fits);
  assert.deepEqual(boundHeaders([...short, { name: 'BB', value: fits.value }]), [
    ...short,
    { name: 'BB', value: long(headerFieldBytes - 2) },
  ]);
  assert.deepEqual(boundHeaders([{ name: 'Bü', value: long(headerFieldBytes) }]), [
    { name: 'Bü', value: long(headerFieldBytes - 3) },
  ]);
  assert.deepEqual(boundHeaders([{ name: long(headerFieldBytes + 1), value: 'v' }]), [
    { name: long(headerFieldBytes), value: '' },
  ]);
  assert.deepEqual(boundHeaders([{ name: long(headerFieldBytes + 1), value: '' }]), [
    { name: long(headerFieldBytes), value: '' },
  ]);
  const many = Array.from({ length: headerFields }, (_, i) => ({ name: `H${i}`, value: '' }));
  assert.equal(boundHeaders(many), many);
  assert.deepEqual(boundHeaders([...many, { name: 'more', value: '' }]), many);
});

const content = {
  msgid: '<1@app.test>',
  subject: 'Hello',
  from: { name: 'QA', address: 'qa@app.test' },
  to: [
    { name: '', address: 'a@x.test' },
    { name: 'nobody', address: '' },
  ],
};
const envelope = { mailFrom: 'bounce@app.test', rcptTo: ['rcpt@x.test'] };

test('the envelope stands for missing addresses', () => {
  const summary = {
    msgid: '<1@app.test>',
    subject: 'Hello',
    fromAddress: 'qa@app.test',
    fromName: 'QA',
    toAddresses: ['a@x.test'],
  };
  assert.deepEqual(wholeSummary(content, envelope), summary);
  const { mailFrom: fromAddress, rcptTo } = envelope;
  for (const from of [null, { name: 'QA', address: '' }])
    assert.deepEqual(wholeSummary({ ...content, from }, envelope), {
      ...summary,
      fromAddress,
      fromName: null,
    });
  for (const to of [[], [{ name: 'nobody', address: '' }]])
    assert.deepEqual(wholeSummary({ ...content, to }, envelope), { ...summary, toAddresses: rcptTo });
});

const atBounds = {
  msgid: long(subjectCharacters),
  subject: long(subjectCharacters),
  fromAddress: long(addressCharacters),
  fromName: long(addressCharacters),
  toAddresses: Array.from({ length: toAddresses }, () => long(addressCharacters)),
};

test('a summary at its bounds is the same object, one over them is cut to them', () => {
  assert.equal(boundSummary(atBounds), atBounds);
  const over = [
    { ...atBounds, msgid: `${atBounds.msgid}x` },
    { ...atBounds, subject: `${atBounds.subject}x` },
    { ...atBounds, fromAddress: `${atBounds.fromAddress}x` },
    { ...atBounds, fromName: `${atBounds.fromName}x` },
    { ...atBounds, toAddresses: [...atBounds.toAddresses, 'more@x.test'] },
    { ...atBounds, toAddresses: [`${long(addressCharacters)}x`, ...atBounds.toAddresses.slice(1)] },
  ];
  for (const one of over) assert.deepEqual(boundSummary(one), atBounds);
  const withoutId = { ...atBounds, msgid: null };
  assert.equal(boundSummary(withoutId), withoutId);
  assert.equal(boundSummary({ ...withoutId, subject: `${atBounds.subject}x` }).msgid, null);
});

test('a list may show less of a summary within two of its bounds', () => {
  const below = {
    msgid: long(subjectCharacters - 2),
    subject: long(subjectCharacters - 2),
    fromAddress: long(addressCharacters - 2),
    fromName: long(addressCharacters - 2),
    toAddresses: Array.from({ length: toAddresses - 2 }, () => long(addressCharacters - 2)),
  };
  assert.equal(mayBeCut(below), false);
  assert.equal(mayBeCut({ ...below, msgid: null }), false);
  const near = [
    { msgid: `${below.msgid}x` },
    { subject: `${below.subject}x` },
    { fromAddress: `${below.fromAddress}x` },
    { fromName: `${below.fromName}x` },
    { toAddresses: [...below.toAddresses, 'more@x.test'] },
    { toAddresses: [...below.toAddresses.slice(1), long(addressCharacters - 1)] },
  ];
  for (const change of near) assert.equal(mayBeCut({ ...below, ...change }), true);
});

test('limits that a message reaches', () => {
  const field = { name: 'A', value: '1' };
  const whole = { ...content, headers: [field] };
  const shown = { headers: whole.headers, textTruncated: false, htmlTruncated: false };
  const named = (length: number) => ({ name: '', address: long(length) });
  const cases: [Partial<typeof whole>, Partial<typeof shown>, string[]][] = [
    [{}, {}, []],
    [atBoundsOfContent(), {}, []],
    [{ subject: long(subjectCharacters + 1) }, {}, ['subjectCharacters']],
    [{ msgid: long(subjectCharacters + 1) }, {}, ['subjectCharacters']],
    [{ to: Array.from({ length: toAddresses + 1 }, () => named(1)) }, {}, ['toAddresses']],
    [{ from: named(addressCharacters + 1) }, {}, ['addressCharacters']],
    [{ to: [named(1), named(addressCharacters + 1)] }, {}, ['addressCharacters']],
    [{}, { textTruncated: true }, ['textBytes']],
    [{}, { htmlTruncated: true }, ['textBytes']],
    [{}, { headers: [{ name: 'A', value: '1' }] }, ['headerFieldBytes']],
    [
      { headers: [field, { name: 'B', value: '2' }] },
      { headers: [field, { name: 'B', value: '' }] },
      ['headerFieldBytes'],
    ],
  ];
  for (const [content, cut, reached] of cases) {
    assert.deepEqual(
      reachedByContent({ ...whole, ...content }, { ...shown, ...cut }),
      reached.map((name) => `answers.${name}`),
    );
  }
  assert.deepEqual(reachedByContent({ ...whole, from: null, msgid: null }, shown), []);
});

function atBoundsOfContent() {
  const named = { name: '', address: long(addressCharacters) };
  const { msgid, subject } = atBounds;
  return { msgid, subject, from: named, to: atBounds.toAddresses.map(() => named) };
}
