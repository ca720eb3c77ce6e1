import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestText } from './request-text.ts';

const key = `sp_${'aB3_-'.repeat(8)}xyz`;
const other = `sp_${'Zz9-_'.repeat(8)}QRS`;
const encoded = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const textOf = (path: string, headers: Record<string, string> = {}, body = '') =>
  requestText({ path, headers, body: Buffer.from(body) }, key);

test('keys are replaced wherever they stand, however they are written', () => {
  const cases: [string, string, string][] = [
    ['the own one in the body', textOf('/x', {}, `a ${key} b`), 'POST /x\n\na [key] b'],
    ['another in the body', textOf('/x', {}, `{"a":"${other}"}`), 'POST /x\n\n{"a":"[key]"}'],
    ['two in a row', textOf('/x', {}, other + key), 'POST /x\n\n[key][key]'],
    ['any header', textOf('/x', { 'x-custom': other }), 'POST /x\nx-custom: [key]\n\n'],
    ['a credential of another provider', textOf('/x', { authorization: other }), 'POST /x\n\n'],
    ['the query', textOf(`/x?key=${other}&a=b`), 'POST /x?key=[key]&a=b\n\n'],
    ['one letter encoded', textOf(`/x?key=${key.replace('_', '%5F')}`), 'POST /x?key=[key]\n\n'],
    ['all letters encoded', textOf(`/x?key=${encoded(other)}`), 'POST /x?key=[key]\n\n'],
    ['encoded twice', textOf(`/x?a=${encoded(other).replaceAll('%', '%25')}`), 'POST /x?a=[key]\n\n'],
    ['a form', textOf('/x', {}, `a=${other.replace('_', '%5f')}&b=c`), 'POST /x\n\na=[key]&b=c'],
    ['escapes of JSON', textOf('/x', {}, `"${other.replace('_', '\\u005f')}"`), 'POST /x\n\n"[key]"'],
    ['Basic', textOf('/x', { 'x-auth': basic(`api:${other}`) }), 'POST /x\nx-auth: Basic [key]\n\n'],
    ['base64 alone', textOf('/x', { a: btoa(`${other}:`) }), 'POST /x\na: [key]\n\n'],
    ['other base64', textOf('/x', { a: btoa('a'.repeat(60)) }), `POST /x\na: ${btoa('a'.repeat(60))}\n\n`],
    [
      'a text that is too short',
      textOf('/x', {}, `${other.slice(0, 45)} b`),
      `POST /x\n\n${other.slice(0, 45)} b`,
    ],
  ];
  for (const [name, text, expected] of cases) assert.equal(text, expected, name);
});

test('a key that the end of the text cuts is left out', () => {
  const text = `${'a'.repeat(64 * 1024 - 20)}${other}`;
  assert.equal(textOf('/x', {}, text), `POST /x\n\n${'a'.repeat(64 * 1024 - 20)}`);
  const escaped = `${'a'.repeat(64 * 1024 - 20)}${encoded(other)}`;
  assert.equal(textOf('/x', {}, escaped), `POST /x\n\n${'a'.repeat(64 * 1024 - 20)}`);
});

test('a key that is none of ours is replaced where it is a secret', () => {
  const request = { path: '/x', headers: {}, body: Buffer.from('SG.0123456789abcdef and test') };
  assert.equal(requestText(request, 'SG.0123456789abcdef'), 'POST /x\n\n[key] and test');
  assert.equal(requestText(request, 'test'), 'POST /x\n\nSG.0123456789abcdef and test');
});
