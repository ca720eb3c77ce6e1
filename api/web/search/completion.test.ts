import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, correctedSpelling, operatorOf, warningOf, withoutBegun } from './completion.ts';

const known = { in: ['INBOX', 'Release 4.2'], account: ['qa@app.test', 'dev@app.test'] };

/** Caret position, marked by a vertical bar. Commas separate the options. */
const cases: [typed: string, options: string, completed?: string][] = [
  ['|', ''],
  ['fi|', 'filename:', 'filename:'],
  ['invoice i|', 'in:, is:', 'invoice in:'],
  ['-ha|', 'has:', '-has:'],
  ['(su|', 'subject:', '(subject:'],
  ['inv|', ''],
  ['"i|', ''],
  ['is:un|', 'is:unread , is:unflagged ', 'is:unread '],
  ['is:unread|', ''],
  ['IN:rel|', 'in:"Release 4.2" ', 'in:"Release 4.2" '],
  ['in:"Rel|', 'in:"Release 4.2" ', 'in:"Release 4.2" '],
  ['account:app|', 'account:qa@app.test , account:dev@app.test ', 'account:qa@app.test '],
  ['account:q|a x', 'account:qa@app.test ', 'account:qa@app.test  x'],
  ['from:a|', ''],
  ['from:|', 'from:', 'from:'],
  ['spf:soft|', 'spf:softfail ', 'spf:softfail '],
  ['dmarc:fail|', ''],
  ['dmarc:soft|', ''],
  ['arc:perm|', ''],
  ['http://a|', ''],
  ['constructor:|', ''],
];
for (const [typed, options, completed] of cases) {
  test(`${typed} goes on with ${options || 'nothing'}`, () => {
    const text = typed.replace('|', '');
    const found = complete(text, typed.indexOf('|'), known);
    assert.equal(found.options.map(({ text }) => text).join(', '), options);
    const [first] = found.options;
    if (first) assert.equal(text.slice(0, found.from) + first.text + text.slice(found.to), completed);
  });
}

test('a misspelt operator is told from a word with a colon', () => {
  const cases: [part: string, right: string | null][] = [
    ['form:shop', 'from:shop'],
    ['-subjct:"a b"', '-subject:"a b"'],
    ['Form:shop', 'from:shop'],
    ['tags:x', 'tag:x'],
    ['larg:1M', null],
    ['from:shop', null],
    ['http://a.test', null],
    ['Re:', null],
    ['note:x', null],
    ['top:10', null],
    ['hash:abc', null],
    ['frmo:shop', 'from:shop'],
    ['id:7', null],
    ['a:b', null],
    ['"form:shop"', null],
    ['constructor:x', null],
  ];
  for (const [part, right] of cases) assert.equal(correctedSpelling(part), right, part);
  assert.deepEqual(['code:', 'code:42', '-code:', 'unread:'].map(correctedSpelling), [
    'has:code',
    'has:code 42',
    '-has:code',
    'is:unread',
  ]);
  assert.deepEqual(['form:', '-code:42', 'link:https://x'].map(correctedSpelling), [null, null, null]);
});

test('a misspelled operator in a search is warned of, also in a group', () => {
  const warning = 'No operator “form:”. Did you mean “from:shop”?';
  assert.equal(warningOf('pay (form:shop OR subject:x)'), warning);
  assert.equal(warningOf('-form:shop'), 'No operator “form:”. Did you mean “-from:shop”?');
  for (const right of ['', 'from:shop "form:shop"', 'see http://a'])
    assert.equal(warningOf(right), undefined);
});

test('the operators are listed on demand', () => {
  assert.ok(complete('', 0, known, true).options.length > 20);
  assert.equal(complete('from:a ', 7, known, true).options[0]?.text, 'from:');
});

test('an operator without a value is not searched for yet', () => {
  const begun = ['from:', 'code -has:', '(in:', 'http:', 'from:a'].map(withoutBegun);
  assert.deepEqual(begun, ['', 'code ', '(', 'http:', 'from:a']);
});

test('a misspelt value is known where the operator takes words', () => {
  const rightOf = (part: string) => operatorOf(part)?.right;
  assert.deepEqual(['-is:unred', 'has:atachment', 'SPF:fial'].map(rightOf), [
    '-is:unread',
    'has:attachment',
    'spf:fail',
  ]);
  assert.deepEqual(['is:blue', 'is:unread', 'larger:2Q', 'from:ann'].map(rightOf), Array(4).fill(undefined));
  const isWrong = (part: string) => operatorOf(part) !== null;
  assert.deepEqual(['from:', '-is:', 'newer_than:1'].map(isWrong), [true, true, true]);
  assert.deepEqual(['from:a', 'is:un', 'newer_than:1d', 're:', 'from'].map(isWrong), Array(5).fill(false));
});
