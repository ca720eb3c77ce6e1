import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddressDistance, addressDistance } from './address-distance.ts';

const cases: [asked: string, other: string, expected: AddressDistance][] = [
  ['qa@app.test', 'QA@APP.test', 0],
  ['qa@bücher.test', 'qa@xn--bcher-kva.test', 0],
  ['qa+run1@app.test', 'qa@app.test', 1],
  ['qa@app.test', 'qa+run2@app.test', 1],
  ['signup@app.test', 'sigup@app.test', 2],
  ['signup@app.test', 'signpu@app.test', 2],
  ['signup@app.test', 'signup@ap.test', 2],
  ['signup@app.test', 'signup@app.example', 2],
  ['signup@app.test', 'signup+x@other.example', 2],
  ['signup@app.test', 'xsignupyz@app.test', 2],
  ['signup@app.test', 'wxsignupyz@app.test', 3],
  ['signup-3f9a2c71d0@app.test', 'signup-81c0b7e2aa@app.test', 3],
  ['signup@app.test', 'invoice@other.example', 4],
  ['signup@app.test', '', 4],
  ['', '', 0],
];

for (const [asked, other, expected] of cases)
  test(`${other} is unlike ${asked} by ${expected}`, () => {
    assert.equal(addressDistance(asked, other), expected);
  });

test('long addresses take linear time', () => {
  const long = `${'x'.repeat(100_000)}@app.test`;
  const started = process.cpuUsage();
  for (let call = 0; call < 100; call += 1) addressDistance(long, `y${long}`);
  assert.ok(process.cpuUsage(started).user < 1_000_000);
});
