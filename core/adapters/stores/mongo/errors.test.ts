import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoBulkWriteError, MongoNetworkError, MongoServerError } from 'mongodb';
import { StoreFull, StoreUnavailable } from '#core/errors.ts';
import { translated } from './errors.ts';

/** As the driver makes it when the connection closes under a write of many rows: no label, no code. */
function inBulk(error: Error): Error {
  const wrapped = new MongoBulkWriteError({ message: error.message, code: 0, writeErrors: [] }, {} as never);
  return Object.assign(wrapped, { errorResponse: error });
}

const broken = (code: string) => Object.assign(new Error('This socket has been ended'), { code });

for (const [name, error, kind] of [
  ['a closed connection', new MongoNetworkError('connection 15 closed'), StoreUnavailable],
  ['a closed connection under a bulk write', inBulk(new MongoNetworkError('closed')), StoreUnavailable],
  ['a socket that the server ended', broken('EPIPE'), StoreUnavailable],
  ['a socket that the server ended, under a bulk write', inBulk(broken('ECONNRESET')), StoreUnavailable],
  ['a full disk', new MongoServerError({ message: 'full', code: 14031 }), StoreFull],
] as const) {
  test(`${name} is ${kind.name}`, () => assert.ok(translated(error) instanceof kind));
}

test('what does not pass stays as it is', () => {
  const duplicate = inBulk(new MongoServerError({ message: 'twice', code: 11000 }));
  for (const error of [duplicate, new TypeError('a bug'), broken('ENOENT'), 'text'])
    assert.equal(translated(error), error);
});
