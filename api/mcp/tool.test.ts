import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#gate/limits.ts';
import { bounded } from './tool.ts';

const { textCharacters: most, answerCharacters: inAll } = limits.mcp;
const note = (kept: number, whole: number) => `… [cut: ${kept} characters of ${whole} characters]`;

const cases: [string, unknown, unknown][] = [
  ['a number, a flag and null', [7, true, null], [7, true, null]],
  ['a text that fits', 'a'.repeat(most), 'a'.repeat(most)],
  ['a text that does not', 'a'.repeat(most + 1), 'a'.repeat(most) + note(most, most + 1)],
  [
    'half of a pair at the cut',
    `${'a'.repeat(most - 1)}😀`,
    `${'a'.repeat(most - 1)}\ufffd${note(most, most + 1)}`,
  ],
];
for (const [name, value, expected] of cases) {
  test(`an answer is cut: ${name}`, () => {
    assert.deepEqual(bounded({ within: [value] }), { within: [expected] });
  });
}

test('texts together are cut to the room that is left', () => {
  const texts = Array.from({ length: 10 }, () => 'a'.repeat(most - 1));
  const cut = bounded(texts) as string[];
  const kept = cut.map((text) => /^a*/.exec(text)?.[0].length ?? 0);
  assert.equal(
    kept.reduce((sum, length) => sum + length, 0),
    inAll,
  );
  assert.equal(cut.at(-1), note(0, most - 1));
});
