import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpFault } from '#api/problem.ts';
import { parseObject } from './read-body.ts';

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

const refused: [string, string | Buffer][] = [
  ['no JSON', 'hello'],
  ['half an object', '{"a":1'],
  ['a list', '[]'],
  ['a number', '1'],
  ['null', 'null'],
  ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['half a surrogate pair', '{"a":"\\ud800"}'],
  ['21 levels', nested(21)],
  ['10,000 levels of objects', nested(10_000)],
  ['half a million levels of lists', '{"a":'.concat('['.repeat(500_000), ']'.repeat(500_000), '}')],
];

for (const [name, text] of refused) {
  test(`a body is refused: ${name}`, () => {
    assert.throws(() => parseObject(Buffer.from(text)), HttpFault);
  });
}

test('20 levels are taken', () => assert.ok(parseObject(Buffer.from(nested(20)))));

test('__proto__ and constructor pollute nothing', () => {
  const body = parseObject(
    Buffer.from('{"__proto__":{"admin":true},"a":{"__proto__":{"b":1}},"constructor":{"prototype":{"c":1}}}'),
  );
  assert.deepEqual(Object.keys(body), ['a', 'constructor']);
  assert.equal(body.admin, undefined);
  assert.equal(({} as Record<string, unknown>).c, undefined);
});
