import assert from 'node:assert/strict';
import { test } from 'node:test';
import { envelopeText, foldText, intro, needlesOf, searchTexts } from './search-text.ts';

test('folds case, accents, compatible characters and white space', () => {
  assert.equal(foldText('  Caf\u0065\u0301\r\n\t GR\u00dcN\u00a0x '), 'cafe grun x');
  assert.equal(foldText('\u0130STANBUL of\ufb01ce \uff21\uff22 \u2122'), 'istanbul office ab tm');
  assert.equal(foldText('\ud55c\uae00 \u304c'), '\ud55c\uae00 \u304c');
});

test('folds long texts in pieces as in one', () => {
  const long = 'Wort \n '.repeat(60_000);
  assert.equal(foldText(long), 'wort '.repeat(60_000).trim());
  const unbroken = '\u{1F600}'.repeat(200_001);
  assert.equal(foldText(unbroken), unbroken);
  assert.equal(foldText(`x${unbroken}`), `x${unbroken}`);
});

test('no character is torn where a long text is cut', () => {
  for (const before of [65_533, 65_534, 65_535, 65_536]) {
    const [left, right] = ['x'.repeat(before), 'y'.repeat(70_000)];
    assert.equal(foldText(`${left}e\u0301 ${right}`), `${left}e ${right}`, String(before));
    assert.equal(foldText(`${left} \n ${right}`), `${left} ${right}`, String(before));
  }
});

test('keeps fields apart', () => {
  const folded = searchTexts({
    subject: 'Your  Order',
    from: { name: 'Ann Lee', address: 'Ann@Shop.test' },
    recipients: [{ name: '', address: 'bob@y.test' }],
    text: 'Line\none',
  });
  assert.deepEqual(folded, {
    ...{ subject: 'your order', sender: 'ann lee ann@shop.test' },
    ...{ recipients: 'bob@y.test', text: 'line one' },
  });
});

test('texts of earlier versions are found with their accents', () => {
  assert.deepEqual(needlesOf('cafe x', ' CAFE\u0301  x'), ['cafe x', 'caf\u00e9 x']);
  assert.deepEqual(needlesOf('cafe', 'Cafe'), ['cafe']);
  assert.deepEqual(needlesOf('\u304c', '\u304c'), ['\u304c']);
});

test('an address is looked for in both spellings of its domain', () => {
  const spellings = ['j@xn--bcher-kva.example', 'j@bucher.example'];
  assert.deepEqual(needlesOf('j@xn--bcher-kva.example', 'J@xn--bcher-kva.example'), spellings);
  assert.deepEqual(needlesOf('j@xn--bcher-kva.example', 'j@b\u00fccher.example').toSorted(), [
    'j@bucher.example',
    'j@b\u00fccher.example',
    'j@xn--bcher-kva.example',
  ]);
  for (const text of ['xn--bcher-kva.example', 'j@xn--', 'a j@xn--bcher-kva.example', 'j@xn--\u00fc'])
    assert.deepEqual(needlesOf(text, text), [text]);
});

test('an intro is 140 characters of folded text and no half of a pair', () => {
  assert.equal(intro(' Hello,\r\n\r\n  world '), 'Hello, world');
  assert.equal(intro('x'.repeat(500)).length, 140);
  assert.equal(intro(`a${'\t \n'.repeat(500)}b`), 'a b');
  const smile = '\u{1F600}';
  assert.equal(intro(smile.repeat(200)), smile.repeat(140));
  assert.equal(intro(`${'x'.repeat(139)}${smile}y`), 'x'.repeat(139) + smile);
  assert.equal(intro(`a${' '.repeat(4478)}${smile}`), 'a');
});

test('finds a message by its envelope recipients, with and without tag', () => {
  const envelope = { rcptTo: ['QA+Run@App.test', 'hidden@app.test'] };
  assert.equal(
    envelopeText({ envelope, deliveredTo: 'QA+Run@App.test', tag: 'Run' }),
    'qa+run@app.test\nhidden@app.test\nqa@app.test',
  );
  assert.equal(
    envelopeText({ envelope: { rcptTo: ['a@b.test'] }, deliveredTo: 'a@b.test', tag: null }),
    'a@b.test',
  );
});

test('folds a character with thousands of marks in linear time, to its first marks', () => {
  const marks = '\u0301'.repeat(32_500) + '\u0327'.repeat(32_500);
  assert.equal(foldText(`A${marks}b`), 'ab');
  assert.equal(foldText('CAFE\u0301'), 'cafe');
});
