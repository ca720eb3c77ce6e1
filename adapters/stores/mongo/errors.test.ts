import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoBulkWriteError, MongoNetworkError, MongoServerError, MongoServerSelectionError } from 'mongodb';
import { StoreFull, StoreUnavailable } from '#core/errors.ts';
import { guarded, isDuplicate, isInterrupted, isTimeLimit, translated } from './errors.ts';

/** Driver error for a connection that closes during a bulk write: without label and code. */
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

test('an error that is not transient is given unchanged', () => {
  const duplicate = inBulk(new MongoServerError({ message: 'twice', code: 11000 }));
  for (const error of [duplicate, new TypeError('a bug'), broken('ENOENT'), 'text'])
    assert.equal(translated(error), error);
});

const unknownName = Object.assign(broken('ENOTFOUND'), { hostname: 'db.test' });
const ofServer = (code: number, message = 'as MongoDB says it', words: object = {}) =>
  new MongoServerError({ message, code, ...words });
const wordsOf = (error: unknown): string => {
  const told = translated(error);
  assert.ok(told instanceof StoreUnavailable);
  assert.equal(told.cause, error);
  return told.message;
};

test('a server that goes, changes its primary or gives up a transaction does not answer now', () => {
  const codes = [
    6, 7, 89, 9001, 91, 189, 10107, 11600, 11602, 13435, 13436, 64, 100, 133, 134, 202, 262, 365,
  ];
  for (const code of [...codes, 11601, 112, 24, 251, 225, 290, 239, 246])
    assert.equal(wordsOf(ofServer(code)), 'MongoDB is not responding', String(code));
  for (const errorLabel of [
    'TransientTransactionError',
    'UnknownTransactionCommitResult',
    'RetryableWriteError',
  ])
    assert.ok(wordsOf(ofServer(1, 'x', { errorLabels: [errorLabel] })), errorLabel);
});

test('the error for a refused user names the remedy, without the documents of the command', () => {
  for (const code of [18, 8000]) assert.match(wordsOf(ofServer(code)), /rejects the user or password/);
  assert.match(wordsOf(ofServer(13)), /requires a user and a password/);
  const refused = wordsOf(ofServer(13, 'not authorized on mail to execute command { insert: "user", x: 1 }'));
  assert.match(refused, /run insert on the database mail: grant it the readWrite role/);
  assert.doesNotMatch(refused, /user", x/);
});

test('faults of DNS and of sockets have different messages', () => {
  assert.equal(wordsOf(unknownName), 'MongoDB is not responding: db.test does not exist in DNS');
  for (const code of ['ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'EAI_AGAIN'])
    assert.match(wordsOf(broken(code)), /DNS/, code);
  for (const code of ['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH'])
    assert.equal(wordsOf(broken(code)), 'the connection to MongoDB was lost', code);
});

test('an error without a member names each fault once, two at most', () => {
  const found = (errors: (Error | null)[], setName: string | null = null): string => {
    const servers = new Map(errors.map((error, i) => [`db-${i}`, { error }]));
    return wordsOf(new MongoServerSelectionError('none', { setName, servers } as never));
  };
  const refused = Object.assign(broken('ECONNREFUSED'), { syscall: 'connect', address: '::1', port: 1 });
  const closed = new Error('connection 1 to 127.0.0.1:1 closed');
  const nothing = 'MongoDB is not responding: nothing listens on [::1]:1';
  assert.equal(found([refused, refused]), nothing);
  assert.match(found([closed]), /: the server closes the connection immediately: it may expect TLS/);
  assert.match(found([refused, closed, unknownName]), /listens on \[::1\]:1; the server closes .*the URL\)$/);
  assert.match(found([null, new Error('x connection 1 closed')]), /: the replica set has no primary/);
  assert.match(found([], 'rs0'), /: no server in the URL belongs to the replica set "rs0"/);
  assert.match(found([refused], 'rs0'), /: nothing listens/);
  assert.equal(found([]), 'MongoDB is not responding');
});

test('a duplicate, an interruption and a time limit are known by their codes', () => {
  const twice = ofServer(11000, 'twice', { keyPattern: { name: 1 } });
  assert.deepEqual(
    [isDuplicate(twice), isDuplicate(twice, 'name'), isDuplicate(twice, 'hash'), isDuplicate(ofServer(50))],
    [true, true, false, false],
  );
  assert.equal(isDuplicate(ofServer(11000), 'name'), false);
  assert.deepEqual([isInterrupted(ofServer(11601)), isInterrupted(ofServer(50))], [true, false]);
  assert.deepEqual([isTimeLimit(ofServer(50)), isTimeLimit(ofServer(11601))], [true, false]);
  for (const code of [11000, 11601, 50]) {
    const other = Object.assign(new Error('not of the server'), { code });
    assert.deepEqual([isDuplicate(other), isInterrupted(other), isTimeLimit(other)], [false, false, false]);
  }
});

test('a guarded port translates rejections, and gives other results unchanged', async () => {
  const port = guarded({
    name: 'port',
    async found() {
      return this.name;
    },
    away: () => Promise.reject(ofServer(91)),
    atOnce: () => 7,
  });
  assert.deepEqual([port.name, await port.found(), port.atOnce()], ['port', 'port', 7]);
  await assert.rejects(port.away(), StoreUnavailable);
});
