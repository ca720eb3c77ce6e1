import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact, reportError, sentenceOf } from './redact.ts';

const key = `sp_${'k'.repeat(43)}`;

/** A text, and the secret that must not be left of it. */
const told: [text: string, secret: string][] = [
  ['cannot reach mongodb://app:S3cret@db-0,db-1:27017/mail?replicaSet=rs0', 'S3cret'],
  ['mongodb+srv://app:pa/s?S3cret#@w@cluster.test/mail', 'S3cret'],
  ['rediss://sandpost:S3cret@cache:6380', 'S3cret'],
  ['redis://:pa@ss/S3cret@cache', 'S3cret'],
  ['proxy http://user:S3cret@proxy.test:3128/ refused', 'S3cret'],
  ['mongodb://db/?tlsCertificateKeyFilePassword=S3cret&tls=true', 'S3cret'],
  ['mongodb://db/?authMechanismProperties=AWS_SESSION_TOKEN:S3cret&proxyPassword=S3cret', 'S3cret'],
  ['Authorization: Bearer S3cret.S3cret', 'S3cret'],
  ['headers {"authorization":"Basic dXNlcjpTM2NyZXQ=","accept":"*/*"}', 'dXNlcjpTM2NyZXQ'],
  ["{ 'x-api-key': 'S3cret', accept: '*/*' }", 'S3cret'],
  ['cookie: theme=dark; sandpost_session=S3cret', 'S3cret'],
  ['Set-Cookie: __Host-sandpost_session=S3cret; Secure', 'S3cret'],
  ["{ password: 'S3cret', user: 'app' }", 'S3cret'],
  ['{\\"password\\": \\"S3cret\\"}', 'S3cret'],
  [`the key ${key} is wrong`, key],
  ['sent Bearer eyJhbGciOiJSUzI1NiJ9.S3cret', 'S3cret'],
  ['not authorized on mail to execute command { insert: "users", documents: [ "S3cret" ] }', 'S3cret'],
];
for (const [text, secret] of told) {
  test(`redacts ${text}`, () => {
    const safe = redact(text);
    assert.doesNotMatch(safe, new RegExp(secret));
    assert.match(safe, /\[redacted\]/);
    assert.doesNotMatch(sentenceOf(new Error(text)), new RegExp(secret));
  });
}

for (const text of [
  'the name db.invalid does not exist in DNS',
  'at file:///app/node_modules/@koa/router/lib/router.js:12:3',
  'see https://example.com/?to=qa@app.test',
  'password: must have at least 10 characters',
  'Basic authentication is not offered, and no bearer token is either',
  'mail for qa+tag@app.test from someone@example.com',
]) {
  test(`keeps ${text}`, () => assert.equal(redact(text), text));
}

test('a report keeps type, message, code, stack and causes, and nothing else', () => {
  class ReplyError extends Error {}
  const cause = Object.assign(new ReplyError('WRONGPASS redis://:S3cret@cache'), {
    command: { name: 'auth', args: ['S3cret'] },
    code: 'EAUTH',
  });
  const error = new AggregateError([cause, 'S3cret is a text, password=S3cret'], 'away', { cause });
  Object.assign(error, { request: { headers: { 'X-API-KEY': 'S3cret' } }, input: 'redis://:S3cret@cache' });
  const report = reportError(error);
  assert.deepEqual(Object.keys(report), ['type', 'message', 'stack', 'cause', 'errors']);
  assert.deepEqual([report.type, report.message], ['AggregateError', 'away']);
  assert.deepEqual(
    [report.cause?.type, report.cause?.message, report.cause?.code],
    ['ReplyError', 'WRONGPASS redis://[redacted]@cache', 'EAUTH'],
  );
  assert.match(report.cause?.stack ?? '', /redact\.test\.ts/);
  assert.equal(report.errors?.length, 2);
  assert.doesNotMatch(JSON.stringify(report.cause), /S3cret/);
});

test('a chain of causes that never ends, and a message of a megabyte, are cut', () => {
  const error = new Error('x'.repeat(1_000_000));
  error.cause = error;
  assert.ok(JSON.stringify(reportError(error)).length < 100_000);
  assert.ok(sentenceOf(error).length < 3000);
});

test('anything may be thrown', () => {
  assert.deepEqual(reportError('redis://:S3cret@cache'), {
    type: 'string',
    message: 'redis://[redacted]@cache',
  });
  assert.equal(reportError({ password: 'S3cret' }).type, 'object');
  assert.equal(sentenceOf(undefined), 'undefined');
});
