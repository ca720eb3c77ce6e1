import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTraceId, type Trace, traceOf } from './trace-context.ts';

const id = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const valid = `00-${id}-${parent}-01`;

const recorded = { traceId: id, parentSpanId: parent };

const cases: [values: string[], wanted: Trace | null][] = [
  [[valid], recorded],
  [[`00-${id}-${parent}-00`], { traceId: id }],
  [[`00-${id}-${parent}-02`], { traceId: id }],
  [[`00-${id}-${parent}-fe`], { traceId: id }],
  [[`00-${id}-${parent}-03`], recorded],
  [[`00-${id}-${parent}-ff`], recorded],
  [[`01-${id}-${parent}-01`], recorded],
  [[`cc-${id}-${parent}-01-what-comes`], recorded],
  [[`01-${id}-${parent}-01-`], recorded],
  [[`01-${id}-${parent}-01-`.padEnd(512, 'a')], recorded],
  [[], null],
  [[''], null],
  [[valid, valid], null],
  [[valid, ''], null],
  [[`${valid}, ${valid}`], null],
  [[`${valid}-more`], null],
  [[`01-${id}-${parent}-01-`.padEnd(513, 'a')], null],
  [[`${valid}-`], null],
  [[`01-${id}-${parent}-01.what`], null],
  [[`ff-${id}-${parent}-01`], null],
  [[`00-${'0'.repeat(32)}-${parent}-01`], null],
  [[`00-${id}-${'0'.repeat(16)}-01`], null],
  [[valid.toUpperCase()], null],
  [[`00-${id.slice(1)}-${parent}-01`], null],
  [[`00-${id}0-${parent}-01`], null],
  [[`00-${id}-${parent.slice(1)}-01`], null],
  [[`00-${id}-${parent}`], null],
  [[`00-${id}-${parent}-1`], null],
  [[`0-${id}-${parent}-01`], null],
  [[`0g-${id}-${parent}-01`], null],
  [[` ${valid}`], null],
  [[`${valid}\n`], null],
  [[id], null],
];

for (const [values, wanted] of cases) {
  test(`the trace of ${JSON.stringify(values)}`, () => assert.deepEqual(traceOf(values), wanted));
}

test('a trace-id has 32 digits in lower case, not all zero', () => {
  const texts = [id, id.toUpperCase(), '0'.repeat(32), id.slice(1), `${id}0`, `${id}\n`];
  assert.deepEqual(texts.map(isTraceId), [true, false, false, false, false, false]);
});
