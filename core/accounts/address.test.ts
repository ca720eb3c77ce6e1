import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress, splitTag } from './address.ts';

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
  assert.deepEqual(splitTag('+qa'), { base: '+qa', tag: null });
});
