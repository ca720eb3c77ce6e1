import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrastRatio, parseColour } from './contrast.ts';

test('colours are read as CSS and HTML write them', () => {
  const cases: [string, ReturnType<typeof parseColour>][] = [
    ['#FFF', [255, 255, 255]],
    ['#12aB09', [18, 171, 9]],
    [' White ', [255, 255, 255]],
    ['rgb(1, 2,3)', [1, 2, 3]],
    ['rgb(1 2 3 / 1.0)', [1, 2, 3]],
    ['rgba(1,2,3,1)', [1, 2, 3]],
    ['rgba(1,2,3,0.5)', null],
    ['transparent', null],
    ['constructor', null],
    ['#12345', null],
    ['url(x)', null],
    ['', null],
  ];
  for (const [text, colour] of cases) assert.deepEqual(parseColour(text), colour, text);
});

test('the ratio is that of WCAG', () => {
  const cases: [string, string, string][] = [
    ['black', 'white', '21.00'],
    ['white', 'white', '1.00'],
    // W3C examples: the lightest gray on white that passes, and the next, which fails.
    ['#767676', 'white', '4.54'],
    ['#777777', 'white', '4.48'],
  ];
  for (const [one, other, ratio] of cases) {
    const [a, b] = [parseColour(one), parseColour(other)];
    assert.ok(a && b);
    assert.equal(contrastRatio(a, b).toFixed(2), ratio);
    assert.equal(contrastRatio(b, a).toFixed(2), ratio);
  }
});
