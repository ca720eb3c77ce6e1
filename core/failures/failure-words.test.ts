import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid } from '#core/errors.ts';
import { type FailureInput, failureWords } from './failure-words.ts';

const nothing = { q: null, address: null, from: null };

test('what is left out gets a default', () => {
  const shared = {
    match: nothing,
    stage: 'rcpt',
    times: null,
    delayMs: null,
    rate: null,
    expiresIn: 3600,
  } as const;
  const reply = '451 4.7.1 Refused on purpose';
  const cases: [FailureInput, object][] = [
    [{}, { ...shared, action: 'reply', reply, dsn: null }],
    [{ match: { from: 'a@app.test' } }, { match: { ...nothing, from: 'a@app.test' }, reply }],
    [{ stage: 'api' }, { stage: 'api', reply: '503 Refused on purpose' }],
    [{ action: 'drop' }, { reply: null, dsn: null }],
    [
      { action: 'delay', delayMs: 1 },
      { reply: null, delayMs: 1 },
    ],
    [{ action: 'dsn' }, { dsn: 'failed', reply: '550 5.1.1 Failed on purpose' }],
    [
      { action: 'dsn', dsn: 'delayed' },
      { dsn: 'delayed', reply: '451 4.4.1 Delayed on purpose' },
    ],
    [
      { action: 'dsn', dsn: 'complaint' },
      { dsn: 'complaint', reply: null },
    ],
    [{ stage: 'api', action: 'dsn' }, { reply: '550 5.1.1 Failed on purpose' }],
  ];
  for (const [input, wanted] of cases)
    assert.partialDeepStrictEqual(failureWords(input), wanted, JSON.stringify(input));
});

test('replies are codes with a text', () => {
  const long = `450 ${'x'.repeat(496)}`;
  for (const reply of [
    '400 x',
    '599 x',
    '451 4.7.1 Try again',
    '421 4.7.1',
    '550 5.1.10 a',
    '450 4.a.b',
    '452 4.2',
    long,
  ])
    assert.equal(failureWords({ reply }).reply, reply);
  assert.equal(failureWords({ stage: 'api', reply: '429 Slow down' }).reply, '429 Slow down');
  for (const reply of [
    '',
    '451',
    '351 x',
    '601 x',
    '4510 x',
    'x',
    '451 a\r\nb',
    '451 \u00e9',
    '451\u0000',
    `${long}x`,
  ])
    assert.throws(() => failureWords({ reply }), /reply: must be one line/, JSON.stringify(reply));
  for (const reply of ['451 5.7.1 x', '550 4.7.1', '550 2.0.0 x'])
    assert.throws(() => failureWords({ reply }), /reply: must have an enhanced code that begins with/, reply);
});

test('what cannot be done is refused by the name of its field', () => {
  const cases: [FailureInput, string[]][] = [
    [{ stage: 'rcpt', match: { q: 'a' } }, ['match.q']],
    [{ stage: 'data', match: { q: 'a' } }, ['match.q']],
    [{ stage: 'data', match: { q: 'a' }, action: 'dsn' }, []],
    [{ stage: 'end', match: { q: 'subject:a' } }, []],
    [{ stage: 'api', match: { q: 'subject:a', address: 'a@app.test', from: 'b@app.test' } }, []],
    [{ stage: 'end', match: { q: 'is:read' } }, ['match.q']],
    [{ stage: 'end', match: { q: '' } }, ['match.q']],
    [{ stage: 'mail', match: { address: 'a@app.test' } }, ['match.address']],
    [{ stage: 'mail', match: { from: 'a@app.test' } }, []],
    [
      { stage: 'auth', match: { address: 'a@app.test', from: 'b@app.test' } },
      ['match.address', 'match.from'],
    ],
    [{ match: { address: 'app.test', from: 'Ada <a@app.test>' } }, ['match.address', 'match.from']],
    [{ stage: 'auth', action: 'dsn' }, ['action']],
    [{ stage: 'mail', action: 'dsn', match: { q: 'a' } }, ['action']],
    [{ dsn: 'failed' }, ['dsn']],
    [{ action: 'delay' }, ['delayMs']],
    [{ action: 'delay', delayMs: 0 }, ['delayMs']],
    [{ action: 'drop', delayMs: 10 }, []],
    [{ action: 'drop', reply: '451 x' }, ['reply']],
    [{ action: 'delay', delayMs: 10, reply: '451 x' }, ['reply']],
    [{ action: 'dsn', reply: '451 x' }, ['reply']],
    [{ action: 'dsn', dsn: 'delayed', reply: '550 x' }, ['reply']],
    [{ action: 'dsn', dsn: 'autoreply', reply: '550 x' }, ['reply']],
    [{ action: 'dsn', dsn: 'delayed', reply: '450 x' }, []],
  ];
  for (const [input, wanted] of cases) assert.deepEqual(faultsOf(input), wanted, JSON.stringify(input));
});

function faultsOf(input: FailureInput): string[] {
  try {
    failureWords(input);
    return [];
  } catch (error) {
    assert.ok(error instanceof Invalid);
    return error.violations.map(({ field }) => field);
  }
}
