import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDomainName } from './domain-name.ts';

const cases: [string, string | null][] = [
  ['app.test', 'app.test'],
  ['App.Test', 'app.test'],
  ['app.test.', 'app.test'],
  [' app.test ', 'app.test'],
  ['bücher.example', 'xn--bcher-kva.example'],
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
  ['*.test', null],
  ['user@app.test', null],
];

for (const [text, name] of cases) {
  test(`${JSON.stringify(text.slice(0, 40))} is ${name === null ? 'no name' : name.slice(0, 40)}`, () => {
    assert.equal(parseDomainName(text), name);
  });
}
