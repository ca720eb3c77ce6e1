import assert from 'node:assert/strict';
import { test } from 'node:test';
import { malformed, problemCodes } from '#api/shapes/problem.ts';
import {
  invalid,
  NotFound,
  SearchTimeout,
  StoreFull,
  StoreUnavailable,
  TooMany,
  Unauthenticated,
} from '#core/errors.ts';
import { problemOf } from './errors.ts';

const cases: [unknown, number, string, Record<string, string>?][] = [
  [malformed('x'), 400, 'malformed_request'],
  [new Unauthenticated('x'), 401, 'unauthenticated', { 'WWW-Authenticate': 'ApiKey header="X-API-KEY"' }],
  [new NotFound(), 404, 'not_found'],
  [invalid('path', 'is wrong'), 422, 'validation_failed'],
  [new TooMany('x', 1500), 429, 'rate_limited', { 'Retry-After': '2' }],
  [new TooMany('x', 0), 429, 'rate_limited', { 'Retry-After': '1' }],
  [new StoreFull('disk sda1'), 503, 'store_full', { 'Retry-After': '5' }],
  [new StoreUnavailable('10.0.0.1 refused'), 503, 'store_unavailable', { 'Retry-After': '5' }],
  [new SearchTimeout('SELECT'), 503, 'search_timeout', { 'Retry-After': '5' }],
  [new TypeError('secret'), 500, 'internal_error'],
  ['secret', 500, 'internal_error'],
];

for (const [error, status, code, headers] of cases) {
  test(`${error} is ${status} ${code}`, () => {
    const problem = problemOf(error);
    assert.deepEqual([problem.status, problem.code, problem.headers], [status, code, headers]);
    assert.ok(problemCodes.includes(problem.code));
    if (status >= 500) assert.doesNotMatch(problem.detail, /secret|sda1|10\.0|SELECT/, 'nothing leaks');
  });
}

test('a refused value has violations, other errors have none', () => {
  assert.deepEqual(problemOf(invalid('path', 'is wrong')).violations, [
    { field: 'path', message: 'is wrong' },
  ]);
  assert.equal(problemOf(new NotFound()).violations, undefined);
});
