import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressFailure } from './address-failure.ts';

test('reads the failure of an address', () => {
  const cases: [tag: string, wanted: (string | number | null)[]][] = [
    ['fail-550', ['rcpt', 'reply', '550 5.7.1 Refused on purpose', null, null, null]],
    ['FAIL-550', ['rcpt', 'reply', '550 5.7.1 Refused on purpose', null, null, null]],
    ['fail-452-4.2.2', ['rcpt', 'reply', '452 4.2.2 Refused on purpose', null, null, null]],
    ['fail-452-4.2.2.run7', ['rcpt', 'reply', '452 4.2.2 Refused on purpose', null, null, null]],
    ['fail-451x2', ['rcpt', 'reply', '451 4.7.1 Refused on purpose', 2, null, null]],
    ['fail-451x2.run7', ['rcpt', 'reply', '451 4.7.1 Refused on purpose', 2, null, null]],
    ['fail-451x12-4.3.2.a.b', ['rcpt', 'reply', '451 4.3.2 Refused on purpose', 12, null, null]],
    ['fail-data-554', ['end', 'reply', '554 5.7.1 Refused on purpose', null, null, null]],
    ['fail-data-451x1-4.3.0', ['end', 'reply', '451 4.3.0 Refused on purpose', 1, null, null]],
    ['fail-slow5', ['rcpt', 'delay', null, null, 5000, null]],
    ['fail-slow60.x', ['rcpt', 'delay', null, null, 60_000, null]],
    ['fail-drop', ['rcpt', 'drop', null, null, null, null]],
    ['fail-drop.run-1', ['rcpt', 'drop', null, null, null, null]],
    ['fail-dsn-5.1.1', ['rcpt', 'dsn', '550 5.1.1 Refused on purpose', null, null, 'failed']],
    ['fail-dsn-5.4.7.run7', ['rcpt', 'dsn', '550 5.4.7 Refused on purpose', null, null, 'failed']],
    ['fail-delay-dsn.run7', ['rcpt', 'dsn', '451 4.7.1 Refused on purpose', null, null, 'delayed']],
  ];
  for (const [tag, wanted] of cases) {
    const { stage, action, reply, times, delayMs, dsn } = addressFailure(tag) ?? {};
    assert.deepEqual([stage, action, reply, times, delayMs, dsn], wanted, tag);
  }
});

test('leaves every other tag alone', () => {
  const tags = [
    '',
    'fail',
    'fail-',
    'fail-250',
    'fail-650',
    'fail-55',
    'fail-5500',
    'fail-550-4.1.1',
    'fail-550x0',
  ];
  const more = [
    'fail-slow0',
    'fail-slow61',
    'fail-slow',
    'fail-dsn',
    'fail-dsn-4.1.1',
    'fail-delay',
    'fail-data',
  ];
  const others = [
    'run7',
    'xfail-550',
    'run7+fail-550',
    'failure-550',
    'fail-550run7',
    'fail-drops',
    'fail-550-5.1',
  ];
  for (const tag of [null, ...tags, ...more, ...others]) assert.equal(addressFailure(tag), null, `${tag}`);
});
