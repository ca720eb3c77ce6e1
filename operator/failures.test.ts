import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { NotFound, StoreFull, StoreUnavailable } from '#core/errors.ts';
import { failureOf } from './failures.ts';
import { NotLeading } from './reconcile.ts';
import { SecretRefused } from './secrets.ts';

const answer = (code: number, message = 'not so') =>
  new ApiException(code, 'no', JSON.stringify({ message }), {});
const lost = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });

/** An error, and the reason that the condition gives; null where none is to be told. */
const cases: [string, unknown, string | null, boolean?][] = [
  ['the resource is gone', answer(404), null],
  ['the resource has changed since', answer(409), null],
  ['another operator may have begun', new NotLeading(), null],
  ["the store's object is gone", new NotFound(), null],
  ['the store is away', new StoreUnavailable('no'), 'StoreUnavailable', true],
  ['the store is full', new StoreFull('no'), 'StoreUnavailable', true],
  ['a quota has no room for the Secret', new SecretRefused('exceeded quota'), 'SecretRefused', false],
  ['an admission policy refuses the finalizer', answer(403), 'ResourceRefused', false],
  ['the status is invalid', answer(422), 'ResourceRefused', false],
  ['the API server is overloaded', answer(429), 'ApiServerUnavailable', true],
  ['the API server is away', answer(503), 'ApiServerUnavailable', true],
  ['the credentials are not known', answer(401), 'ApiServerUnavailable', true],
  ['no answer comes', new DOMException('late', 'TimeoutError'), 'ApiServerUnavailable', true],
  ['the connection breaks', lost, 'ApiServerUnavailable', true],
  ['a mistake of ours', new TypeError('x is undefined'), 'InternalError', false],
  ['something that is no error', 'oops', 'InternalError', false],
];

for (const [name, error, reason, isPassing] of cases) {
  test(`${name}: ${reason ?? 'nothing is told'}`, () => {
    const failure = failureOf(error);
    assert.equal(failure?.reason ?? null, reason);
    assert.equal(failure?.isPassing, isPassing);
  });
}

test('a message quotes the API server, but never an error of our own', () => {
  assert.match(failureOf(answer(403, 'denied by policy'))?.message ?? '', /: denied by policy$/);
  assert.doesNotMatch(failureOf(new Error('mongodb://u:p@host'))?.message ?? '', /mongodb/);
  assert.equal(failureOf(answer(403, 'x'.repeat(100_000)))?.message.length, 1024);
});
