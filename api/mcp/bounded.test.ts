import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { bounded } from './bounded.ts';

const { textCharacters: most, answerCharacters: inAll } = limits.mcp;
const note = (kept: number, whole: number) =>
  `… [truncated to ${kept} characters; total: ${whole} characters]`;

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
    assert.deepEqual(bounded({ value }), { value: expected });
    assert.deepEqual(bounded({ within: [{ value }] }), { within: [{ value: expected }] });
  });
}

const lengthOf = (value: unknown) => JSON.stringify(value).length;

test('long texts share the room, and the last is cut to what is left', () => {
  const text = 'a'.repeat(most);
  const answer = bounded({ id: 7, one: text, two: text, three: text, result: 'pass' }) as Record<
    string,
    string
  >;
  assert.deepEqual([answer.id, answer.one, answer.two, answer.result], [7, text, text, 'pass']);
  assert.match(
    answer.three ?? '',
    /^a{19900,}… \[truncated to 19\d{3} characters; total: 20000 characters\]$/,
  );
  assert.ok(lengthOf(answer) <= inAll + 100);
});

test('a long list lacks items, and a short one, a result and a long text are whole', () => {
  const links = Array.from({ length: 9000 }, (_, at) => ({ url: `https://shop.example/${at}`, text: 'x' }));
  const text = 'a'.repeat(most);
  const answer = { text, links, codes: [{ value: '493817' }], spf: { result: 'pass' } };
  const { left_out, ...shown } = bounded(answer) as typeof answer & { left_out: Record<string, number> };
  assert.deepEqual({ ...shown, links: [] }, { ...answer, links: [] });
  assert.deepEqual(shown.links, links.slice(0, shown.links.length));
  assert.deepEqual(left_out, { links: links.length - shown.links.length });
  assert.ok(shown.links.length > 500 && lengthOf(shown) <= inAll);
});

test('an item that does not fit is left out alone', () => {
  const items = ['a', ...Array.from({ length: 4 }, () => 'b'.repeat(most)), 'c'];
  assert.deepEqual(bounded({ within: { items } }), {
    left_out: { 'within.items': 2 },
    within: { items: ['a', items[1], items[2], 'c'] },
  });
});

test('all items have their fields before the lists within them have items', () => {
  const features = Array.from({ length: 300 }, (_, at) => ({ slug: `css-${at}`, notes: ['n'.repeat(50)] }));
  const clients = Array.from({ length: 48 }, (_, at) => ({ client: `c${at}`, support: 'no', features }));
  const answer = bounded({ clients, score: 7 }) as {
    clients: typeof clients;
    left_out: Record<string, number>;
  };
  assert.deepEqual(
    answer.clients.map(({ support }) => support),
    clients.map(() => 'no'),
  );
  assert.deepEqual(Object.keys(answer.left_out).sort(), ['clients.features', 'clients.features.notes']);
  assert.ok(lengthOf(answer) <= inAll + 100);
});
