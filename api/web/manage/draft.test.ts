import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesOf } from './draft.ts';

const cases: [string, string[]][] = [
  ['', []],
  [' , ', []],
  ['a@app.test', ['a@app.test']],
  ['a@app.test,b@app.test; c@app.test\nd@app.test', ['a@app.test', 'b@app.test', 'c@app.test', 'd@app.test']],
];

for (const [text, addresses] of cases) {
  test(`addresses of ${JSON.stringify(text)}`, () => assert.deepEqual(addressesOf(text), addresses));
}
