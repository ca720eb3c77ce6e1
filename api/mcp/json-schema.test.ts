import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestShape } from '#api/shapes/request-shape.ts';
import { listOf, nullable, responseShape, text, url, wholeNumber, word } from '#api/shapes/response-shape.ts';
import { queryFlag, queryInteger } from '#api/shapes/values.ts';
import { schemasOf } from './json-schema.ts';

const input = requestShape<{ id: number; html?: boolean }>('Read', {
  id: { names: ['message_id', 'messageId'], schema: queryInteger(1, 9), required: true },
  html: { names: ['html'], schema: queryFlag().description('Also the HTML.') },
});
const named = (name: string) => responseShape(name, { name: nullable(text()).example('Shop') });
const output = responseShape('Mail', {
  main: nullable(url()),
  kind: nullable(word('a', 'b')),
  people: listOf(named('Person')),
  person: nullable(named('Sender')),
  size: wholeNumber().example(7),
});

test('arguments are described by their first names alone, and no other is allowed', () => {
  const { inputSchema } = schemasOf({ input, output });
  assert.deepEqual(inputSchema, {
    type: 'object',
    properties: {
      message_id: { type: 'integer', minimum: 1, maximum: 9 },
      html: { type: 'boolean', description: 'Also the HTML.' },
    },
    required: ['message_id'],
    additionalProperties: false,
  });
});

test('an answer is described without words of OpenAPI, references and formats', () => {
  const { outputSchema } = schemasOf({ input, output });
  assert.doesNotMatch(JSON.stringify(outputSchema), /\$ref|nullable|"format"|"example"/);
  const { notice, main, kind, people, person } = outputSchema.properties as Record<
    string,
    Record<string, unknown>
  >;
  assert.match(String(notice?.const), /untrusted/);
  assert.deepEqual(main?.type, ['string', 'null']);
  assert.deepEqual(kind?.enum, ['a', 'b', null]);
  assert.equal(people?.type, 'array');
  assert.deepEqual(person?.type, ['object', 'null']);
  assert.deepEqual((outputSchema.required as string[]).sort(), ['kind', 'main', 'people', 'person', 'size']);
});
