import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from './code-token.ts';
import { tokensOf } from './code-tokens.ts';

const shapes: [value: string, shape: Token['shape']][] = [
  ['123', null],
  ['1234', 'digits'],
  ['1234567890', 'digits'],
  ['12345678901', null],
  ['12-34', 'digits'],
  ['12-34-56', 'digits'],
  ['12-31-99', 'date'],
  ['31-12-26', 'date'],
  ['32-13-56', 'digits'],
  ['13-32-56', 'digits'],
  ['12-32-56', 'digits'],
  ['13-13-56', 'digits'],
  ['32-12-56', 'digits'],
  ['12-31-12-31', 'digits'],
  ['123-456', 'digits'],
  ['123-456-789', 'digits'],
  ['01-02', 'digits'],
  ['123-01-02', null],
  ['1234-5678', 'digits'],
  ['1234-5678-9012', null],
  ['12-34-56-78-90', null],
  ['12345-67890', null],
  ['1-2', null],
  ['a1-23', null],
  ['b7Kq2XvP9dRtMn3Lz8Ws', 'anyCase'],
  ['b7kq2xvp9drtmn3lz8ws', null],
  ['1Z999AA10123456784', null],
  ['1a-23', null],
  ['012-011-999', 'digits'],
  ['123-45', null],
  ['A-1234', 'mixed'],
  ['ABC-12345678', 'mixed'],
  ['G-123456', 'mixed'],
  ['G-123456789', null],
  ['G-123', null],
  ['xG-123456', null],
  ['G-123456x', null],
  ['AB12', 'mixed'],
  ['AB1', null],
  ['A1B2C3D4', 'mixed'],
  ['A1B2C3D4E', 'anyCase'],
  ['AB12-CD34-EF56-GH78', 'mixed'],
  ['AB12-CD34-EF56-GH789', null],
  ['AB12-CD34-EF56-GH78-IJ', null],
  ['AB-C12', 'mixed'],
  ['aAB12', 'anyCase'],
  ['AB12a', 'anyCase'],
  ['ABCD', 'letters'],
  ['ABC', null],
  ['ABCDEFGH', 'letters'],
  ['ABCD-EFGH-IJKL', 'letters'],
  ['ABCD-EFGH-IJKLM', null],
  ['AB-C', null],
  ['a1b2c3', 'anyCase'],
  ['1ab234', 'anyCase'],
  ['a12bcd', 'anyCase'],
  ['a1bcdefghi', 'anyCase'],
  ['a1bcdefghij', 'anyCase'],
  ['a1b2c', 'anyCase'],
  ['abc123', 'anyCase'],
  ['123abc', 'anyCase'],
  ['abcdef', null],
  ['Xa1b2c3', 'anyCase'],
  ['a1b2c3X', 'anyCase'],
  ['ab12cd-x', null],
  [`AB12${'-CD34'.repeat(4)}`, null],
];

for (const [value, shape] of shapes) {
  test(`${value} has the shape ${shape}`, () => {
    const [token, ...more] = tokensOf(value);
    const typed = shape === 'digits' || shape === 'date' ? value.replaceAll('-', '') : value;
    assert.deepEqual([token?.value, token?.shape, more.length], [typed, shape, 0]);
    assert.deepEqual([token?.start, token?.end, token?.word], [0, value.length, value.toLowerCase()]);
  });
}

/** Values of a line's tokens that have a shape. */
const shapedOf = (line: string) =>
  tokensOf(line).flatMap(({ value, shape }) => (shape === null ? [] : [value]));

const lines: [line: string, values: string[]][] = [
  ['code 1234, 5678.', ['1234', '5678']],
  ['1234.5', []],
  ['1.2345', []],
  ['2026/1234', []],
  ['12:3456', []],
  ['1,2345', []],
  ['1234:', ['1234']],
  ['a. 1234', ['1234']],
  ['x:1234', ['1234']],
  ['1: 2345', ['2345']],
  ['$1234', []],
  ['$ 1234', []],
  ['$x 1234', ['1234']],
  ['$  1234', ['1234']],
  ['€1234', []],
  ['+1234', []],
  ['#1234', []],
  ['/1234', []],
  ['\\1234', []],
  ['@1234', []],
  ['1234€', []],
  ['1234 €', []],
  ['1234 x€', ['1234']],
  ['1234x €', []],
  ['1234 %', []],
  ['1234°', []],
  ['id=1234', []],
  ['id_1234', []],
  ['ü_1234', []],
  ['x.1234', []],
  ['a&1234', []],
  ['=1234', ['1234']],
  ['a= 1234', ['1234']],
  ['1234=', []],
  ['1234_', []],
  ['1234@app.test', []],
  ['1234 @', ['1234']],
  ['1234 a.5', ['1234']],
  ['123 456', ['123456']],
  ['123\t456', ['123456']],
  ['123  456', []],
  ['123;456 a', []],
  ['AB12 3456', ['AB12', '3456']],
  ['12AB 3456', ['12AB', '3456']],
  ['1234 .5', ['1234']],
  ['123/456', []],
  ['1234 5678', ['12345678']],
  ['12 34 56', ['123456']],
  ['12 11 56', ['121156']],
  ['42 34 56', ['423456']],
  ['1 2 3 4', ['1234']],
  ['1 2 3', []],
  ['1 2 3 4 5 6 7 8 9 0', ['1234567890']],
  ['1 2 3 4 5 6 7 8 9 0 1', []],
  ['1 2 3 45', []],
  ['12345 67890', []],
  ['12 34 5', []],
  ['555 123 4567', []],
  ['(555) 1234', ['1234']],
  ['(123 456)', []],
  ['( 123 456)', []],
  ['(x 123 456)', ['123456']],
  ['$123 456', []],
  ['123 456 €', []],
  ['42 34 56 €', []],
  ['(123456)', ['123456']],
  ['a 1 2 3 4', ['1234']],
  ['1234 abc 5678', ['1234', '5678']],
  ['abcd 1234', ['1234']],
];

for (const [line, values] of lines) {
  test(`finds ${JSON.stringify(values)} in ${JSON.stringify(line)}`, () => {
    assert.deepEqual(shapedOf(line), values);
  });
}

test('a joined code stands where its groups stand', () => {
  assert.deepEqual(
    tokensOf('is 12 34, ok').map(({ word, value, shape, start, end }) => [word, value, shape, start, end]),
    [
      ['is', 'is', null, 0, 2],
      ['12 34', '1234', 'digits', 3, 8],
      ['ok', 'ok', null, 10, 12],
    ],
  );
});

test('words are set apart by what is no letter, and by script', () => {
  assert.deepEqual(
    tokensOf("It' s a-!b, l'\u00e9t\u00e9 one-time 验证码abc").map(({ word }) => word),
    ['it', 's', 'a', 'b', "l'\u00e9t\u00e9", 'one-time', '验证码', 'abc'],
  );
});
