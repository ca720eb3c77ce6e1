import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordsIn } from './zone-lines.ts';

const cases: [text: string, records: object][] = [
  ['', {}],
  [
    'shop.example TXT v=spf1 ip4:203.0.113.7 -all',
    { 'shop.example': { TXT: ['v=spf1 ip4:203.0.113.7 -all'] } },
  ],
  ['shop.example. 3600 IN TXT "v=spf1 " "-all"', { 'shop.example.': { TXT: ['v=spf1 -all'] } }],
  [
    ' a.example a 203.0.113.7\r\n\na.example A 203.0.113.8\na.example MX 10 mx.a.example',
    { 'a.example': { A: ['203.0.113.7', '203.0.113.8'], MX: ['10 mx.a.example'] } },
  ],
  ['shop.example', { 'shop.example': { '': [''] } }],
];

for (const [text, records] of cases) {
  test(`${JSON.stringify(text)} has ${Object.keys(records).length} names`, () =>
    assert.deepEqual(recordsIn(text), records));
}
