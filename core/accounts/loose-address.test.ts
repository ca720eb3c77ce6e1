import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLooseAddress } from './loose-address.ts';

/** Recipient, and the address that it is compared by. */
const cases: [string, string | null][] = [
  ['QA+Tag@APP.test', 'qa+tag@app.test'],
  ['qa.@app.test', 'qa.@app.test'],
  ['.qa@app.test', '.qa@app.test'],
  ['q..A@app.test', 'q..a@app.test'],
  ['...@app.test', '...@app.test'],
  ['"A b"@app.test', '"a b"@app.test'],
  ['"a@b"@app.test', '"a@b"@app.test'],
  ['"qa"@app.test', 'qa@app.test'],
  ['"q\\a"@app.test', 'qa@app.test'],
  ['"qa."@app.test', 'qa.@app.test'],
  ['"a\\"b"@app.test', '"a\\"b"@app.test'],
  ['"a,b;c:d<e>"@app.test', '"a,b;c:d<e>"@app.test'],
  ['"grüße an alle"@bücher.example', '"grüße an alle"@xn--bcher-kva.example'],
  ['qa@my_host.app.test', 'qa@my_host.app.test'],
  ['qa.@app.test.', 'qa.@app.test'],
  [`${'a'.repeat(200)}@app.test`, `${'a'.repeat(200)}@app.test`],
  ['用户..@例子.测试', '用户..@xn--fsqu00a.xn--0zwm56d'],
  [`${'a'.repeat(312)}@app.test`, null],
  ['""@app.test', null],
  ['a b@app.test', null],
  ['"a b@app.test', null],
  ['a@b@app.test', null],
  ['qa@localhost', null],
  ['qa@[192.0.2.1]', null],
  ['qa@app..test', null],
  ['root', null],
  ['victim\uff20evil.test@app.test', null],
  ['=?utf-8?q?victim=40evil.test?=@app.test', null],
  ['"q\u200ba"@app.test', null],
  ['"qa\r\nb"@app.test', null],
  ['\u212aa@app.test', null],
];

for (const [text, address] of cases)
  test(`${JSON.stringify(text.slice(0, 50))}: ${address?.slice(0, 50) ?? 'of no registered domain'}`, () =>
    assert.equal(parseLooseAddress(text)?.address ?? null, address));
