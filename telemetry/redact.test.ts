import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redact, reportError, sentenceOf } from './redact.ts';

const key = `sp_${'k'.repeat(43)}`;

/** Text, and the secret that must not remain in it. */
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

/** Texts, and their redacted form. */
const left: [text: string, safe: string][] = [
  ['mongodb://app:pa/S3cret@db/mail', 'mongodb://[redacted]@db/mail'],
  ['authorization: S3cret', 'authorization: [redacted]'],
  ['Proxy-Authorization : S3cret', 'Proxy-Authorization : [redacted]'],
  ['cookie=theme; session=S3cret\nnext line', 'cookie=[redacted]\nnext line'],
  ['{"x-api-key":"S3cret two","accept":"*/*"}', '{"x-api-key":[redacted],"accept":"*/*"}'],
  ["{ cookie: 'S3cret two', accept: 1 }", '{ cookie: [redacted], accept: 1 }'],
  ["{ 'set-cookie':  [ 'S3cret', 'two' ], accept: 1 }", "{ 'set-cookie':  [redacted], accept: 1 }"],
  ['{\\"cookie\\":"S3cret two"}', '{\\"cookie\\":[redacted]}'],
  ['sent Basic  dXNlcjpTM2NyZXQ= away', 'sent Basic [redacted] away'],
  ['sent basic dXNlcjpTM2NyZXQ= away', 'sent basic [redacted] away'],
  ['sent bearer a.~+/-S3cret away', 'sent bearer [redacted] away'],
  ['?passwd=S3cret&tls=true', '?passwd=[redacted]&tls=true'],
  ['?passphrase=S3cret two', '?passphrase=[redacted] two'],
  [
    'apikey=S3cret, api-key=S3cret; api_key=S3cret',
    'apikey=[redacted], api-key=[redacted]; api_key=[redacted]',
  ],
  ["credential: 'S3cret', credentials: 'S3cret'", "credential: '[redacted]', credentials: '[redacted]'"],
  ['{"token" : "S3cret"}', '{"token" : "[redacted]"}'],
  ['{"token":S3cret}', '{"token":[redacted]}'],
  ['{\\"token\\":\\"S3cret\\"}', '{\\"token\\":\\"[redacted]\\"}'],
  ["token:'S3cret'", "token:'[redacted]'"],
  ["token  :  'S3cret'", "token  :  '[redacted]'"],
  ['AWS_SESSION_TOKEN:S3cret&tls=true', 'AWS_SESSION_TOKEN:[redacted]&tls=true'],
  [`the key ${key} is wrong`, 'the key sp_[redacted] is wrong'],
];
for (const [text, safe] of left) {
  test(`redacts in part ${text}`, () => assert.equal(redact(text), safe));
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

test('a report has ten errors, causes five deep, a code that is a number, and the name that an error gave itself', () => {
  const chain = (depth: number): Error => new Error(`${depth}`, depth > 0 ? { cause: chain(depth - 1) } : {});
  const named = Object.assign(new Error('down'), { name: 'MongoServerError', code: 13, stack: undefined });
  const report = reportError(new AggregateError([named, chain(9), ...Array(20).fill('x')]));
  assert.equal(report.errors?.length, 10);
  assert.deepEqual(report.errors?.[0], { type: 'MongoServerError', message: 'down', code: 13 });
  const causes = [report.errors?.[1]];
  for (let next = causes[0]?.cause; next !== undefined; next = next.cause) causes.push(next);
  assert.deepEqual(
    causes.map((cause) => cause?.message),
    ['9', '8', '7', '6', '5'],
  );
  assert.equal('errors' in reportError(new AggregateError([])), false);
  assert.equal('cause' in reportError(new Error('alone')), false);
});

test('a sentence is one line of up to 2000 characters, and names an error without a message', () => {
  assert.equal(sentenceOf(new Error('first  \n  second\nthird')), 'first second third');
  assert.equal(sentenceOf(new Error('x'.repeat(2000))), 'x'.repeat(2000));
  assert.equal(sentenceOf(new Error('x'.repeat(2001))), `${'x'.repeat(2000)}…`);
  assert.equal(sentenceOf(new TypeError('')), 'TypeError');
});
