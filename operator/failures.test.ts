import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { NotFound, StoreFull, StoreUnavailable } from '#core/errors.ts';
import { failureOf } from './reconcile.ts';
import { NotLeading } from './runtime/failures.ts';
import { SecretRefused } from './secrets.ts';

const answer = (code: number, message = 'not so') =>
  new ApiException(code, 'no', JSON.stringify({ message }), {});
const lost = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });

/** Error, and the reason that the conditions show, or null if they stay unchanged. */
const cases: [string, unknown, string | null, boolean?][] = [
  ['the resource is gone', answer(404), null],
  ['the resource has changed since it was read', answer(409), null],
  ['another operator may have started', new NotLeading(), null],
  ['the object in the store is gone', new NotFound(), null],
  ['the store cannot be reached', new StoreUnavailable('no'), 'StoreUnavailable', true],
  ['the store is full', new StoreFull('no'), 'StoreUnavailable', true],
  ['a quota rejects the Secret', new SecretRefused('exceeded quota'), 'SecretRefused', false],
  ['an admission policy rejects the finalizer', answer(403), 'ResourceRefused', false],
  ['the status is invalid', answer(422), 'ResourceRefused', false],
  ['the API server is overloaded', answer(429), 'ApiServerUnavailable', true],
  ['the API server is unavailable', answer(503), 'ApiServerUnavailable', true],
  ['the credentials are invalid', answer(401), 'ApiServerUnavailable', true],
  ['a call times out', new DOMException('late', 'TimeoutError'), 'ApiServerUnavailable', true],
  ['the connection breaks', lost, 'ApiServerUnavailable', true],
  ['an error of the program', new TypeError('x is undefined'), 'InternalError', false],
  ['a thrown value that is not an Error', 'oops', 'InternalError', false],
];

for (const [name, error, reason, isTransient] of cases) {
  test(`${name}: ${reason ?? 'no condition'}`, () => {
    const failure = failureOf(error);
    assert.equal(failure?.reason ?? null, reason);
    assert.equal(failure?.isTransient, isTransient);
  });
}

test('a message quotes the API server and never an error of the program', () => {
  assert.match(failureOf(answer(403, 'denied by policy'))?.message ?? '', /: denied by policy$/);
  assert.doesNotMatch(failureOf(new Error('mongodb://u:p@host'))?.message ?? '', /mongodb/);
  assert.equal(failureOf(answer(403, 'x'.repeat(100_000)))?.message.length, 1024);
});
