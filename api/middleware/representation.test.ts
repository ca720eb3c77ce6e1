import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasLongText, longJson, matches } from './representation.ts';

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

const bodies: Record<string, object> = {
  'control characters': { id: 1, text: '\u0001'.repeat(300_000) },
  'pairs of surrogates, whole and half, at every place': {
    text: `${'😀'.repeat(40_000)}x${'😀'.repeat(40_000)}\ud800${'y'.repeat(40_000)}\udc00`,
  },
  'empty values, lists and names with escapes beside it': {
    none: undefined,
    'a"\n': 'x'.repeat(32_769),
    empty: '',
    nothing: null,
    list: ['x', undefined, {}],
    last: undefined,
  },
  'a field without a value before it': { none: undefined, html: 'é'.repeat(98_304) },
};
for (const [what, body] of Object.entries(bodies)) {
  test(`the JSON of a long text is that of JSON.stringify: ${what}`, async () => {
    assert.equal(hasLongText(body), true);
    assert.equal((await longJson(body, null)).toString(), JSON.stringify(body));
  });
}

test('a body is long by its own texts', () => {
  assert.equal(hasLongText({ text: 'x'.repeat(32_768), items: ['x'.repeat(40_000)] }), false);
});
