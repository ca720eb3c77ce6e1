import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Malformed } from '#core/errors.ts';
import { parseObject } from './json-object.ts';

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
