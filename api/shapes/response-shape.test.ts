import assert from 'node:assert/strict';
import { test } from 'node:test';
import { route } from '#api/route.ts';
import {
  answerOf,
  listOf,
  nullable,
  responseShape,
  text,
  type Wire,
  wholeNumber,
  word,
} from './response-shape.ts';

const shape = responseShape('Thing', {
  id: wholeNumber(),
  kind: word('one', 'two'),
  note: nullable(text()),
  parts: listOf(responseShape(null, { name: text() })),
});
type Thing = Wire<typeof shape>;

const thing: Thing = { id: 1, kind: 'two', note: null, parts: [{ name: '' }] };

const faults: [string, Thing][] = [
  // @ts-expect-error: `note` is missing
  ['a forgotten field', { id: 1, kind: 'one', parts: [] }],
  // @ts-expect-error: the shape has no `more`
  ['a superfluous field', { ...thing, more: 1 }],
  // @ts-expect-error: `id` is a number
  ['a wrong type', { ...thing, id: 'one' }],
  // @ts-expect-error: `kind` is one of two words
  ['an unknown word', { ...thing, kind: 'three' }],
  // @ts-expect-error: `id` is never null
  ['null where the shape has none', { ...thing, id: null }],
  // @ts-expect-error: `name` of the part is missing
  ['a forgotten field within a list', { ...thing, parts: [{}] }],
];

test('a shape takes what has its type', () => {
  for (const whole of [thing, { ...thing, note: 'a note' }]) {
    assert.equal(shape.validate(whole, { convert: false }).error, undefined);
  }
});

for (const [fault, faulty] of faults) {
  test(`compiler and shape refuse ${fault}`, () => {
    assert.notEqual(shape.validate(faulty, { convert: false }).error, undefined);
  });
}

const declaration = {
  method: 'get',
  path: '/api/things',
  operationId: 'getThing',
  summary: 'Read a thing',
  access: 'public',
} as const;
const success = { description: 'The thing', schema: shape };

// The compiler refuses a handler whose response does not match its route's declared shape.
route({ ...declaration, success, handle: async () => thing });
// @ts-expect-error: a part is no thing
route({ ...declaration, success, handle: async () => thing.parts[0] });
const named = answerOf<{ id: number; label: string }>()('Named', {
  id: wholeNumber(),
  name: [text(), ({ label }) => label],
});
const labelled = { description: 'It', shape: named };
const presented = { id: 1, name: 'a' };
route({ ...declaration, success: labelled, handle: async () => ({ id: 1, label: 'a' }) });
// @ts-expect-error: the shape presents what has a label
route({ ...declaration, success: labelled, handle: async () => presented });
// @ts-expect-error: an id is no text
answerOf<{ id: number }>()('Wrong', { name: [text(), ({ id }) => id] });
answerOf<{ usedBytes: number }>()('Right', { used_bytes: wholeNumber() });
// @ts-expect-error: the core has no such name
answerOf<{ usedBytes: number }>()('Wrong', { used: wholeNumber() });
// @ts-expect-error: the bytes may be null
answerOf<{ usedBytes: number | null }>()('Wrong', { used_bytes: wholeNumber() });

test('a shape presents a value of the core by its fields', () => {
  assert.deepEqual(named.present({ id: 1, label: 'a' }), presented);
});

// @ts-expect-error: 204 has no body
route({ ...declaration, success: { description: 'Done', status: 204 }, handle: async () => thing });
