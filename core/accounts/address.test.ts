import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress, parseLooseAddress, splitTag } from './address.ts';

const cases: [string, string | null][] = [
  ['qa@app.test', 'qa@app.test'],
  ['QA+Tag@APP.test', 'qa+tag@app.test'],
  ['*@app.test', '*@app.test'],
  ['first.last@app.test', 'first.last@app.test'],
  ["o'neil!#$%&*/=?^_`{|}~@app.test", "o'neil!#$%&*/=?^_`{|}~@app.test"],
  ['grüße@bücher.example', 'grüße@xn--bcher-kva.example'],
  [`${'a'.repeat(64)}@app.test`, `${'a'.repeat(64)}@app.test`],
  [`${'a'.repeat(65)}@app.test`, null],
  ['.qa@app.test', null],
  ['qa.@app.test', null],
  ['q..a@app.test', null],
  ['@app.test', null],
  ['qa@', null],
  ['qa', null],
  ['qa@localhost', null],
  ['qa@[127.0.0.1]', null],
  ['QA <qa@app.test>', null],
  ['<qa@app.test>', null],
  ['qa@app.test (comment)', null],
  ['(comment)qa@app.test', null],
  ['group: qa@app.test;', null],
  ['"quoted"@app.test', null],
  ['qa@app.test,b@evil.test', null],
  ['qa@evil.test@app.test', null],
  ['qa@app.test\r\nRCPT TO:<b@evil.test>', null],
  ['qa\0@app.test', null],
  [' qa@app.test', null],
  ['qa@app.test.', 'qa@app.test'],
  ['victim%evil.test@app.test', 'victim%evil.test@app.test'],
  ['evil.test!victim@app.test', 'evil.test!victim@app.test'],
  ['a=?b=?c@app.test', 'a=?b=?c@app.test'],
  ['=?utf-8?q?victim=40evil.test?=@app.test', null],
  ['=?UTF-8?B?dmljdGltQGV2aWwudGVzdA==?=@app.test', null],
  ['=?utf-8*en?Q?victim?=@app.test', null],
  ['qa=?us-ascii?q?=2C?=@app.test', null],
  ['=??q?victim=40evil.test?=@app.test', null],
  ['=?utf-8?q?victim=40evil.test@app.test', null],
  ['victim\uff20evil.test@app.test', null],
  ['victim\ufe6bevil.test@app.test', null],
  ['victim@evil.test\uff0cqa@app.test', null],
  ['victim\uff0cqa@app.test', null],
  ['group\uff1aqa@app.test', null],
  ['\uff1cqa\uff1e@app.test', null],
  ['qa\uff08comment\uff09@app.test', null],
  ['\uff02qa\uff02@app.test', null],
  ['q\uff0e\uff0ea@app.test', null],
  ['\u00a8qa@app.test', null],
  ['qa\u2488@app.test', null],
  ['q\u200ba@app.test', null],
  ['q\u00ada@app.test', null],
  ['\u202etset.live\u202c@app.test', null],
  ['q\u2028a@app.test', null],
  ['q\u00a0a@app.test', null],
  ['q\u115fa@app.test', null],
  ['q\ufeffa@app.test', null],
  ['qa@app\u3002test', 'qa@app.test'],
  ['qa@\uff41pp.test', 'qa@app.test'],
  ['qa@app.test\u200b', null],
  ['<@evil.test:qa@app.test>', null],
  ['@evil.test:qa@app.test', null],
  ['"victim@evil.test"@app.test', null],
  ['victim\\@evil.test@app.test', null],
  ['"victim@evil.test" <qa@app.test>', null],
  ['qa@app.test (victim@evil.test)', null],
  ['qa@(victim@evil.test)app.test', null],
  ['mailto:qa@app.test', null],
  ['qa@app.test;', null],
  ['qa@app..test', null],
  ['qa@.app.test', null],
  ['qa@app.test/evil.test', null],
  ['qa@app.test#@evil.test', null],
  [`qa@${'a.'.repeat(200_000)}test`, null],
  ['a'.repeat(1_000_000), null],
  [`${'=?'.repeat(150)}@app.test`, null],
];

for (const [text, address] of cases) {
  test(`${JSON.stringify(text.slice(0, 50))} is ${address === null ? 'no address' : 'an address'}`, () => {
    assert.equal(parseAddress(text)?.address ?? null, address);
  });
}

test('a tag begins after the first plus sign, and only behind something', () => {
  assert.deepEqual(splitTag('qa+run+7'), { base: 'qa', tag: 'run+7' });
  assert.deepEqual(splitTag('qa+'), { base: 'qa', tag: '' });
  assert.deepEqual(splitTag('qa'), { base: 'qa', tag: null });
  assert.deepEqual(splitTag('q+a'), { base: 'q', tag: 'a' });
  assert.deepEqual(splitTag('+qa'), { base: '+qa', tag: null });
});

/** Recipient, and the address that it is compared by. */
const recipients: [string, string | null][] = [
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

for (const [text, address] of recipients)
  test(`${JSON.stringify(text.slice(0, 50))}: ${address?.slice(0, 50) ?? 'of no registered domain'}`, () =>
    assert.equal(parseLooseAddress(text)?.address ?? null, address));
