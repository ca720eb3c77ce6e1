import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { typesOfAnswers } from './write-types.ts';

test('the types of the JavaScript client are those of the OpenAPI document', () => {
  assert.equal(readFileSync('clients/javascript/api.d.ts', 'utf8'), typesOfAnswers());
});
