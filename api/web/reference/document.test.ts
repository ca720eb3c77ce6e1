import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  exampleOf,
  fieldRows,
  isFound,
  type OpenApi,
  operationsOf,
  parameterRows,
  type Schema,
} from './document.ts';

const text: Schema = { type: 'string', maxLength: 200 };
const document: OpenApi = {
  info: { version: '1', description: '' },
  components: {
    schemas: {
      Part: {
        type: 'object',
        properties: {
          type: { type: 'string', example: 'text/plain' },
          children: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
        },
      },
      Creation: {
        type: 'object',
        required: ['address'],
        properties: {
          address: { type: 'string', minLength: 3, maxLength: 320, example: 'qa@app.test' },
          is_active: { type: 'boolean' },
          isActive: { type: 'boolean', description: 'The same as is_active.' },
          role: { enum: ['owner', 'viewer', null], nullable: true },
        },
      },
    },
  },
  paths: {
    '/api/messages/{id}': {
      get: {
        operationId: 'readMessage',
        summary: 'Read a message',
        tags: ['Messages'],
        security: [],
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          },
          {
            name: 'limit',
            in: 'query',
            schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
            description: 'Items per page.',
          },
          { name: 'is_flagged', in: 'query', schema: text },
          { name: 'flagged', in: 'query', schema: text, description: 'The same as is_flagged.' },
        ],
        responses: {},
      },
    },
  },
};

const [operation] = operationsOf(document);
assert.ok(operation);

test('a search finds operations by words of their method, path, texts and parameters', () => {
  for (const [search, found] of [
    ['', true],
    ['get messages', true],
    ['MESSAGE read', true],
    ['flagged', true],
    ['read domain', false],
  ] as const)
    assert.equal(isFound(operation, search), found, search);
});

test('parameters and fields are listed once, with their other spellings', () => {
  assert.deepEqual(
    parameterRows(document, operation).map(({ name, aliases, type, required }) => [
      name,
      aliases,
      type,
      required,
    ]),
    [
      ['id', [], 'integer', true],
      ['limit', [], 'integer, 1 to 200, default 50', false],
      ['is_flagged', ['flagged'], 'string, 0 to 200 characters', false],
    ],
  );
  assert.deepEqual(
    fieldRows(document, { $ref: '#/components/schemas/Creation' }).map(({ name, type }) => [name, type]),
    [
      ['address', 'string, 3 to 320 characters'],
      ['is_active', 'boolean'],
      ['role', 'any, one of owner, viewer, or null'],
    ],
  );
});

test('an example is made of those of its parts, and one that contains itself ends', () => {
  assert.deepEqual(exampleOf(document, { $ref: '#/components/schemas/Creation' }), {
    address: 'qa@app.test',
    is_active: true,
    role: 'owner',
  });
  assert.match(JSON.stringify(exampleOf(document, { $ref: '#/components/schemas/Part' })), /"children":\[\]/);
});
