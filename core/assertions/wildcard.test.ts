import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsWildcard } from './wildcard.ts';

const cases: [pattern: string, text: string, fits: boolean][] = [
  ['a.pdf', 'a.pdf', true],
  ['a.pdf', 'A.PDF', true],
  ['a.pdf', 'a.pdf2', false],
  ['*.pdf', 'a.pdf', true],
  ['*.pdf', '.pdf', true],
  ['*.pdf', 'pdf', false],
  ['a*', 'a', true],
  ['*', '', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['*ab*ab', 'ab', false],
  ['.', 'x', false],
  ['', '', true],
  ['a?c', 'abc', true],
  ['a?c', 'aüc', true],
  ['a?c', 'ac', false],
  ['*a?', 'aab😀', false],
  ['*?', '😀', true],
  ['?*', '', false],
  ['r[1].pdf', 'R[1].pdf', true],
  ['*a*b', 'aXbYab', true],
];
for (const [pattern, text, fits] of cases) {
  test(`"${pattern}" ${fits ? 'fits' : 'does not fit'} "${text}"`, () => {
    assert.equal(fitsWildcard(pattern, text), fits);
  });
}
