import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEmail } from './email.ts';

const cases: [what: string, text: string, known: string | null][] = [
  ['capital letters', 'Ada@Corp.Test', 'ada@corp.test'],
  ['letters beyond ASCII', 'J\u00dcrgen@corp.test', 'j\u00fcrgen@corp.test'],
  ['a KELVIN SIGN', '\u212aate@corp.test', null],
  ['an ANGSTROM SIGN', '\u212be@corp.test', null],
  ['letters of full width', '\uff41da@corp.test', null],
  ['a ligature', '\ufb01@corp.test', null],
];
for (const [what, text, known] of cases) {
  test(`an e-mail with ${what} is ${known === null ? 'refused' : 'known in lower case'}`, () => {
    assert.equal(parseEmail(text), known);
  });
}
