import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePattern, maskSpelled } from './codes.ts';

const masked = (text: string, ...codes: string[]) => text.replace(codePattern(codes), '[code]');

const cases: [text: string, codes: string[], masked: string][] = [
  ['Code 4938 of 14938, 4938.', ['4938'], 'Code [code] of 14938, [code].'],
  ['Code A-(1) or \\d', ['A-(1)', '\\d', ''], 'Code [code] or [code]'],
  [
    '123 456, 123-456, 123\u2011456, 123 \u2013 456, 1 2 3 4 5 6',
    ['123456'],
    '[code], [code], [code], [code], [code]',
  ],
  ['123\u00a0456 or 123\u200b456', ['123456'], '[code] or [code]'],
  ['ABCD-1234 or ABCD1234', ['ABCD-1234'], '[code] or [code]'],
  ['コードは482913です、４８２９１３', ['482913'], 'コードは[code]です、[code]'],
  ['٤٨٢٩١٣ / ४८२९१३', ['482913'], '[code] / [code]'],
  ['인증번호는 482913입니다', ['482913'], '인증번호는 [code]입니다'],
  ['x7Kp2Q, X7KP2Q', ['x7Kp2Q'], '[code], X7KP2Q'],
  ['1482913, 4829131, 48.29.13, A482913', ['482913'], '1482913, 4829131, 48.29.13, A482913'],
  ['4829, 482913', ['482913'], '4829, [code]'],
];
for (const [text, codes, expected] of cases) {
  test(`codes of: ${text}`, () => assert.equal(masked(text, ...codes), expected));
}

const spelled = (lines: string[], ...codes: string[]) => {
  let count = 0;
  const code = () => {
    count += 1;
    return '[code]';
  };
  const found = maskSpelled(
    lines.map((text) => ({ text })),
    codes,
    code,
  ).map(({ text }) => text);
  return [found, count];
};

test('a code with each digit in a box is masked once', () => {
  const cell = (text: string) => ['<td>', text, '</td>'];
  const boxes = (...texts: string[]) => texts.flatMap(cell);
  const code = Array.from({ length: 6 }, () => '[code]');
  assert.deepEqual(spelled(['x', ...boxes(...'482913'), 'y'], '482913'), [['x', ...boxes(...code), 'y'], 1]);
  assert.deepEqual(spelled(boxes('482', '9 13', '482'), '482913'), [boxes('[code]', '[code]', '482'), 1]);
  assert.deepEqual(spelled(['<input maxlength="1" value="4">', '<input value="8">', '2'], '482'), [
    ['<input maxlength="1" value="[code]">', '<input value="[code]">', '[code]'],
    1,
  ]);
  assert.deepEqual(spelled(boxes('4', '8', '3'), '482'), [boxes('4', '8', '3'), 0]);
});

test('codes are found in linear time', () => {
  const lines = Array.from({ length: 50_000 }, () => '4');
  spelled(lines, '444445');
  const codes = codePattern(Array.from({ length: 20 }, (_, at) => `${100_000 + at}`));
  for (const text of ['1', '1 ', '1-', '１']) text.repeat(100_000).replace(codes, '');
  for (let line = 0; line < 100_000; line += 1) '1'.replace(codes, '');
});
