import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Malformed } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { JsonScanner, parseObject } from './json-body.ts';

const refused: [string, string | Buffer][] = [
  ['no JSON', 'hello'],
  ['half an object', '{"a":1'],
  ['a list', '[]'],
  ['a number', '1'],
  ['null', 'null'],
  ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a surrogate pair', '{"a":"\\ud800"}'],
  ['half a surrogate pair deep within', '{"a":[{"b":["\\udc00"]}]}'],
];

for (const [name, text] of refused) {
  test(`a body is refused: ${name}`, () => {
    assert.throws(() => parseObject(Buffer.from(text)), Malformed);
  });
}

test('__proto__ and constructor pollute nothing', () => {
  const body = parseObject(
    Buffer.from('{"__proto__":{"admin":true},"a":{"__proto__":{"b":1}},"constructor":{"prototype":{"c":1}}}'),
  );
  assert.deepEqual(Object.keys(body), ['a', 'constructor']);
  assert.equal(body.admin, undefined);
  assert.equal(({} as Record<string, unknown>).c, undefined);
});

const { bodyValues: most, bodyLevels: levels } = limits.http;
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const list = (items: number, item: string) => `[${new Array<string>(items).fill(item).join(',')}]`;
const names = (count: number) => Array.from({ length: count }, (_, index) => `"${index}":0`).join(',');

const cases: [string, string, 'http.bodyValues' | 'http.bodyLevels' | null][] = [
  ['an empty text', '', null],
  ['as many numbers as may be', list(most - 1, '1'), null],
  ['one number more', list(most, '1'), 'http.bodyValues'],
  ['as many strings as may be', list(most - 1, '"a"'), null],
  ['one string more', list(most, ' "" '), 'http.bodyValues'],
  ['as many empty lists as may be', list(most - 1, '[ \n]'), null],
  ['one empty list more', list(most, '[]'), 'http.bodyValues'],
  ['one empty object more', list(most, '{}'), 'http.bodyValues'],
  ['as many lists of one as may be', list(most / 2 - 1, '[0]'), null],
  ['more lists of one', list(most / 2, '[0]'), 'http.bodyValues'],
  ['as many names as may be', `{${names(most - 1)}}`, null],
  ['one name more', `{${names(most)}}`, 'http.bodyValues'],
  ['brackets and commas in a string', `{"a":"${'[,{'.repeat(most)}"}`, null],
  ['brackets behind an escaped quote', `{"a":"\\"${'[,{'.repeat(most)}"}`, null],
  ['brackets behind an escaped backslash', `{"a":"\\\\",${'[],'.repeat(most)}}`, 'http.bodyValues'],
  ['commas alone', ','.repeat(most + 1), 'http.bodyValues'],
  ['as many levels as may be', nested(levels), null],
  ['one level more', nested(levels + 1), 'http.bodyLevels'],
  ['half a million levels', '['.repeat(500_000), 'http.bodyLevels'],
  ['levels one after the other', list(100, `${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}`), null],
];

for (const [name, text, beyond] of cases) {
  test(`${name}: ${beyond ?? 'within the bounds'}, in one piece and byte by byte`, () => {
    const bytes = Buffer.from(text);
    assert.equal(new JsonScanner('http.bodyValues').take(bytes), beyond);
    const scanner = new JsonScanner('http.bodyValues');
    const found = [...bytes].map((byte) => scanner.take(Uint8Array.of(byte))).find((one) => one !== null);
    assert.equal(found ?? null, beyond);
  });
}
