import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureRule } from '../client/shapes.ts';
import { answerOf, briefOf, doingOf, gapOf, nameOfFailure } from './failure-text.ts';

const nothing = { q: null, address: null, from: null };
const rule = {
  ...{ id: 1, name: null, is_active: true },
  ...{ match: nothing, stage: 'rcpt', action: 'reply', reply: '451 4.7.1 Try again', dsn: null },
  ...{ times: null, delay_ms: null, rate: null, expires_in: 3600, hits: 0, attempts: [] },
  ...{ created_at: '', expires_at: '' },
} as FailureRule;

test('a failure rule is named by whom it fails', () => {
  assert.equal(nameOfFailure(rule), 'All mail');
  assert.equal(nameOfFailure({ ...rule, stage: 'api' }), 'All requests');
  assert.equal(
    nameOfFailure({ ...rule, match: { ...nothing, address: 'qa@app.test', from: 'shop@app.test' } }),
    'To qa@app.test, from shop@app.test',
  );
});

const said: [Partial<FailureRule>, string][] = [
  [{}, 'At RCPT, refuses every attempt with 451 4.7.1 Try again.'],
  [{ times: 2 }, 'At RCPT, refuses the first 2 attempts with 451 4.7.1 Try again.'],
  [
    { stage: 'api', reply: '429 Slow down', rate: { limit: 3, seconds: 60 } },
    'At a provider API, refuses attempts beyond 3 in 60 s with 429 Slow down.',
  ],
  [
    { action: 'drop', reply: null, delay_ms: 500 },
    'At RCPT, closes the connection on every attempt after 0.5 s.',
  ],
  [
    { stage: 'end', action: 'dsn', dsn: 'failed', reply: '550 5.1.1 No' },
    'After the content, accepts every attempt and sends a bounce: 550 5.1.1 No.',
  ],
  [{ action: 'delay', reply: null, delay_ms: 5000, times: 1 }, 'At RCPT, delays the first attempt by 5 s.'],
];
for (const [change, text] of said) test(text, () => assert.equal(doingOf({ ...rule, ...change }), text));

test('a failure rule and its attempts are told in words', () => {
  assert.equal(briefOf(rule), 'at RCPT, refuses with 451 4.7.1 Try again');
  assert.equal(
    briefOf({ ...rule, stage: 'end', action: 'dsn', dsn: 'complaint' }),
    'after the content, sends a complaint',
  );
  assert.equal(answerOf('reply', '451 4.7.1 No'), '451 4.7.1 No');
  assert.equal(answerOf('dsn', 'dsn'), 'reported');
  assert.equal(answerOf('dsn', '550 5.1.1 No'), 'reported: 550 5.1.1 No');
  assert.equal(answerOf('drop', 'drop'), 'connection closed');
});

for (const [ms, text] of [
  [0, '+0 s'],
  [340, '+0.3 s'],
  [59_900, '+59.9 s'],
  [125_900, '+2 min 5 s'],
  [3_720_000, '+1 h 2 min'],
] as const)
  test(`${ms} ms between two attempts are ${text}`, () =>
    assert.equal(gapOf(new Date(0).toISOString(), new Date(ms).toISOString()), text));

test('the first attempt has no gap', () => assert.equal(gapOf(undefined, new Date(0).toISOString()), ''));
