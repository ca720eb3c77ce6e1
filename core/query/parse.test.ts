import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Query, termsOf } from '#core/messages/query.ts';
import { parseQuery, partsOf } from './parse.ts';

/** Abbreviates a query: `&` for all, `|` for any, `!` for not. */
function spelled(query: Query): string {
  if ('all' in query) return `(${query.all.map(spelled).join(' & ')})`;
  if ('any' in query) return `(${query.any.map(spelled).join(' | ')})`;
  if ('not' in query) return `!${spelled(query.not)}`;
  return query.field === 'text' ? query.part : `${query.field}:${query.typed}`;
}

const cases: [string, string][] = [
  ['', '()'],
  ['Reset  password', '(reset & password)'],
  ['"Reset your" Ann', '(reset your & ann)'],
  ['"unclosed phrase', '(unclosed & phrase)'],
  ['"" " " "', '()'],
  [String.raw`"say \"hi\"" x`, '(say "hi" & x)'],
  [String.raw`"C:\" x`, '(C:\\ & x)'.toLowerCase()],
  [String.raw`tag:"a \"b\"" x`, '(tag:a "b" & x)'],
  [String.raw`header:X="a\"b"`, 'header:X=a"b'],
  ['say"hi"', 'sayhi'],
  ['"a b"c', '(a b & c)'],
  ['Café', 'cafe'],
  ['-x', '!x'],
  ['-"a b" c', '(!a b & c)'],
  ['well-known -', '(well-known & -)'],
  ['--x', '!-x'],
  ['a OR b c OR d', '((a | b) & (c | d))'],
  ['a OR b OR -c', '(a | b | !c)'],
  ['a or b', '(a & or & b)'],
  ['a OR', '(a & or)'],
  ['OR a', '(or & a)'],
  ['a OR OR b', '(a | b)'],
  ['a OR ""', 'a'],
  ['(a b) OR c', '((a & b) | c)'],
  ['-(a OR b) c', '(!(a | b) & c)'],
  ['(a OR b)', '(a | b)'],
  ['(a', '(a'],
  ['a)', 'a)'],
  ['()', '()'],
  ['( )', '(( & ))'],
  ['-()', '!()'],
  ['(a (b) c)', '(a & (b) & c)'],
  ['((a))', '(a)'],
  ['(a (b)', '((a & b)'],
  ['(call f() now)', '(call & f() & now)'],
  ['("a b" c)', '(a b & c)'],
  ['from:ann', 'from:ann'],
  ['FROM:ann', 'from:ann'],
  ['-from:ann', '!from:ann'],
  ['from:"Ann Lee" x', '(from:Ann Lee & x)'],
  ['(from:"Ann Lee")', 'from:Ann Lee'],
  ['to:a+b@c.test', 'to:a+b@c.test'],
  ['subject:Re: x', '(subject:Re: & x)'],
  ['header:X-Run=7', 'header:X-Run=7'],
  ['header:X-Run="7 a"', 'header:X-Run=7 a'],
  ['from:', 'from:'],
  ['from:""', 'from:'],
  ['from:"', 'from:'],
  ['from:"Ann Lee', '(from:Ann & lee)'],
  ['tag:a"b', 'tag:a"b'],
  ['from: ann', '(from: & ann)'],
  ['a:b:c', 'a:b:c'],
  ['http://app.test/?a=b', 'http://app.test/?a=b'],
  ['constructor:x', 'constructor:x'],
  ['is:great', 'is:great'],
  ['12:30', '12:30'],
];

for (const [text, wanted] of cases) {
  test(`reads ${text}`, () => assert.equal(spelled(parseQuery(text)), wanted));
}

const parted: [text: string, parts: string[]][] = [
  ['', []],
  [' from:a  is:unread "b c" ', ['from:a', 'is:unread', '"b c"']],
  ['from:a OR  from:b c', ['from:a OR  from:b', 'c']],
  ['x -(from:a OR b) tag:"y z"', ['x', '-(from:a OR b)', 'tag:"y z"']],
  ['(a b) OR -c d OR', ['(a b) OR -c', 'd', 'OR']],
  ['"" a "" b', ['"" a ""', 'b']],
  ['(a b', ['(a', 'b']],
];
for (const [text, parts] of parted) {
  test(`parts of ${text}`, () =>
    assert.deepEqual(
      partsOf(text).map((part) => part.text),
      parts,
    ));
}

/** Texts that are likely near the grammar's edges. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...'"()-: =', ' OR ', 'OR', 'from:', 'header:X=', 'is:read', '-(', '("', ') '),
      fc.string({ maxLength: 5, unit: 'grapheme' }),
      fc.string({ maxLength: 5, unit: 'binary' }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('no text is an error, and none makes a term that is empty', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { term } of termsOf(parseQuery(text))) {
        assert.ok(term.typed.trim() !== '' || 'part' in term, spelled(term));
        if ('part' in term) assert.notEqual(term.part, '');
      }
    }),
    { numRuns: 2000 },
  );
});

test('the parts of a text together are the same query, and each by itself where no parenthesis is left open', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const parts = partsOf(text);
      assert.equal(spelled(parseQuery(parts.map((part) => part.text).join(' '))), spelled(parseQuery(text)));
      if (text.includes('(')) return;
      for (const part of parts) assert.equal(spelled(parseQuery(part.text)), spelled(part.query), part.text);
    }),
    { numRuns: 2000 },
  );
});

test('words without a mark of the grammar are all kept, in their order', () => {
  const word = fc.stringMatching(/^[a-z0-9@.,;+=/_é-]{1,8}$/).filter((text) => !text.startsWith('-'));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const typed = termsOf(parseQuery(words.join(' '))).map(({ term }) => term.typed);
      assert.deepEqual(typed, words);
    }),
  );
});

test('a thousand parentheses are read at once', () => {
  for (const text of ['('.repeat(1000), '( '.repeat(500), '(a '.repeat(333), ')'.repeat(1000)])
    parseQuery(text);
});
