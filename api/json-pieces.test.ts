import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLong, jsonPieces } from './json-pieces.ts';

const long = 'x'.repeat(20_000);
const values: Record<string, unknown> = {
  'a short object': { a: 1, b: [true, null, 'x'], c: undefined },
  'control characters': { text: '\u0001'.repeat(300_000) },
  'pairs of surrogates, whole and half, at every place': {
    text: `${'😀'.repeat(40_000)}x${'😀'.repeat(40_000)}\ud800${'y'.repeat(20_000)}\udc00`,
  },
  'long lists in objects': {
    items: Array.from({ length: 300 }, (_, id) => ({ id, subject: long.slice(0, 998) })),
  },
  'empty things beside long ones': {
    a: [],
    b: {},
    c: '',
    d: long,
    e: undefined,
    f: null,
    g: [long, undefined],
  },
  'names that need escapes': { 'a"\n': long, 'b\\': [long] },
};

for (const [what, value] of Object.entries(values)) {
  test(`JSON in pieces equals that of JSON.stringify: ${what}`, () => {
    const pieces = [...jsonPieces(value)];
    assert.equal(pieces.join(''), JSON.stringify(value));
    assert.ok(pieces.every((piece) => piece.length < 200_000));
  });
}

test('a value is long by the characters of its JSON', () => {
  assert.equal(isLong({ items: Array.from({ length: 50 }, () => ({ subject: 'x'.repeat(100) })) }), false);
  assert.equal(isLong({ text: 'x'.repeat(70_000) }), true);
});
