import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readBearer, shownUser } from './sasl.ts';

const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64');

/** Returns what is parsed from a response, in which `^` stands for the character that ends a pair. */
const read = (mechanism: 'XOAUTH2' | 'OAUTHBEARER', text: string) => {
  const found = readBearer(mechanism, base64(text.replaceAll('^', '\x01')));
  return found && [found.userName, found.token];
};

test('a response of XOAUTH2 names a user and a token', () => {
  const cases: [text: string, wanted: [string, string] | null][] = [
    ['user=ann@app.test^auth=Bearer abc^^', ['ann@app.test', 'abc']],
    ['auth=bearer abc^user=ann^^', ['ann', 'abc']],
    ['user=^auth=Bearer a=b c^^', ['', 'a=b c']],
    ['user=ann^auth=Bearer ^^', ['ann', '']],
    ['user=ann^auth=^^', ['ann', '']],
    ['user=ann^auth=Bearer abc^scope=x^^', ['ann', 'abc']],
    ['', null],
    ['^', null],
    ['^^', null],
    ['user=ann^auth=Bearer abc', null],
    ['user=ann^auth=Bearer abc^', null],
    ['user=ann^auth=Bearer abc^^^', null],
    ['user=ann^^', null],
    ['auth=Bearer abc^^', null],
    ['user=ann^user=bob^auth=Bearer abc^^', null],
    ['user=ann^auth=Bearer abc^auth=Bearer abc^^', null],
    ['user=ann^auth=Basic abc^^', null],
    ['user=ann^auth=Bearerabc^^', null],
    ['user=ann^auth^^', null],
    ['User=ann^auth=Bearer abc^^', null],
    ['user=ann^=x^auth=Bearer abc^^', null],
    ['user=a\0nn^auth=Bearer abc^^', null],
    ['user=a\x7fnn^auth=Bearer abc^^', null],
    ['user=a\r\nnn^auth=Bearer abc^^', null],
    ['user=\xffann^auth=Bearer abc^^', null],
    ['n,a=ann,^auth=Bearer abc^^', null],
  ];
  for (const [text, wanted] of cases) assert.deepEqual(read('XOAUTH2', text), wanted, text);
});

test('a response of OAUTHBEARER has a header that names the user', () => {
  const cases: [text: string, wanted: [string, string] | null][] = [
    ['n,a=ann@app.test,^host=mx.test^port=587^auth=Bearer abc^^', ['ann@app.test', 'abc']],
    ['n,,^auth=Bearer abc^^', ['', 'abc']],
    ['y,a=a=2Cb=3D2C,^auth=BEARER abc^^', ['a,b=2C', 'abc']],
    ['n,a=ann,^user=bob^auth=Bearer abc^^', ['ann', 'abc']],
    ['n,a=ann,^auth=^^', ['ann', '']],
    ['n,a=ann,^^', null],
    ['n,a=ann,^auth=Bearer abc^', null],
    ['n,a=,^auth=Bearer abc^^', null],
    ['n,a=a=b,^auth=Bearer abc^^', null],
    ['n,a=a=2c,^auth=Bearer abc^^', null],
    ['n,a=a,b,^auth=Bearer abc^^', null],
    ['n,ann,^auth=Bearer abc^^', null],
    ['n,a=ann^auth=Bearer abc^^', null],
    ['p=tls-unique,a=ann,^auth=Bearer abc^^', null],
    ['F,n,a=ann,^auth=Bearer abc^^', null],
    ['x,a=ann,^auth=Bearer abc^^', null],
    ['user=ann^auth=Bearer abc^^', null],
    ['^auth=Bearer abc^^', null],
    ['^', null],
  ];
  for (const [text, wanted] of cases) assert.deepEqual(read('OAUTHBEARER', text), wanted, text);
});

test('a user is shown, unless a secret could stand in its place', () => {
  const shown = (user: string, token: string) =>
    shownUser('XOAUTH2', base64(`user=${user}\x01auth=Bearer ${token}\x01\x01`));
  assert.equal(shown('ann@app.test', 'abc'), 'ann@app.test');
  assert.equal(shown('ann@app.test', ''), 'ann@app.test');
  assert.equal(shown('abc', 'abc'), null);
  assert.equal(shown('x-abc-x', 'abc'), null);
  assert.equal(shown(`sp_${'k'.repeat(43)}`, 'abc'), null);
  assert.equal(shownUser('PLAIN', base64('user=ann\x01auth=Bearer abc\x01\x01')), null);
  assert.equal(shownUser(null, base64('user=ann\x01auth=Bearer abc\x01\x01')), null);
});
