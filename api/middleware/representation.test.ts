import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from './representation.ts';

const cases: [string, boolean][] = [
  ['"abc"', true],
  ['W/"abc"', true],
  ['*', true],
  [' "x", W/"abc" ', true],
  ['"x","abc"', true],
  ['"abc-br"', false],
  ['abc', false],
  ['"ABC"', false],
  ['', false],
  ['"*"', false],
];

for (const [ifNoneMatch, expected] of cases) {
  test(`If-None-Match: ${ifNoneMatch} ${expected ? 'matches' : 'does not match'} "abc"`, () =>
    assert.equal(matches(ifNoneMatch, '"abc"'), expected));
}
