import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainPath, isUnder, parseDomainName, relatedPaths } from './domain-name.ts';

/** Name of 253 characters. */
const atMost = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;

const cases: [string, string | null][] = [
  ['app.test', 'app.test'],
  ['App.Test', 'app.test'],
  ['app.test.', 'app.test'],
  [' app.test ', 'app.test'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['例子。测试', 'xn--fsqu00a.xn--0zwm56d'],
  ['app．example｡test。', 'app.example.test'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['a.b.c.d.example', 'a.b.c.d.example'],
  ['_dmarc.app.test', '_dmarc.app.test'],
  [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  [`${'a'.repeat(64)}.test`, null],
  [`${'a.'.repeat(130)}test`, null],
  ['localhost', null],
  ['', null],
  ['.', null],
  ['.test', null],
  ['app..test', null],
  ['-app.test', null],
  ['app-.test', null],
  ['app test.example', null],
  ['app.test/path', null],
  ['app.test\r\n', 'app.test'],
  ['app\0.test', null],
  ['127.0.0.1', null],
  ['a.b.12', null],
  ['a.2.test', 'a.2.test'],
  ['app.test1', 'app.test1'],
  ['app.1test', 'app.1test'],
  [atMost, atMost],
  [`${atMost}d`, null],
  ['*.test', null],
  ['user@app.test', null],
  ['\u212aate.test', null],
];

for (const [text, name] of cases) {
  test(`${JSON.stringify(text.slice(0, 40))} is ${name === null ? 'no name' : name.slice(0, 40)}`, () => {
    assert.equal(parseDomainName(text), name);
  });
}

test('paths of the names above and below a name', () => {
  const { above, below } = relatedPaths('mail.app.example.test');
  assert.deepEqual(above, ['test.example.', 'test.example.app.']);
  assert.deepEqual(relatedPaths('app.test').above, []);
  assert.deepEqual(relatedPaths('a.b.c.d.test').above, ['test.d.', 'test.d.c.', 'test.d.c.b.']);
  const isBelow = (name: string) => domainPath(name) > below[0] && domainPath(name) < below[1];
  for (const [name, expected] of [
    ['x.mail.app.example.test', true],
    ['_x.y-z.mail.app.example.test', true],
    ['mail.app.example.test', false],
    ['mail2.app.example.test', false],
    ['mail-x.app.example.test', false],
    ['xmail.app.example.test', false],
    ['app.example.test', false],
    ['mail.app.example.test.other', false],
  ] as const) {
    assert.equal(isBelow(name), expected, name);
  }
});

test('a name lies under a suffix, the suffix itself does not', () => {
  const suffixes = ['dev.example', 'test'];
  for (const [name, expected] of [
    ['a.dev.example', true],
    ['a.b.dev.example', true],
    ['app.test', true],
    ['dev.example', false],
    ['xdev.example', false],
    ['example', false],
    ['dev.example.com', false],
  ] as const) {
    assert.equal(isUnder(name, suffixes), expected, name);
  }
});
