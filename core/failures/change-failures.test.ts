import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '#core/change.ts';
import { Invalid, NotFound } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import {
  addFailure,
  addressFailureKey,
  countAddressFailure,
  countFailure,
  removeFailure,
  setFailure,
} from './change-failures.ts';
import type { Attempt, Failure } from './failure.ts';
import { type FailureInput, failureWords } from './failure-words.ts';

const start = Date.parse('2026-11-25T10:00:00Z');
const after = (seconds: number) => new Date(start + seconds * 1000);
const team = { id: 3, name: 'QA', kind: 'shared', createdAt: after(0) } as const;
const none = { rules: 0, counts: 0, oldestCount: null };
const facts = (more: object = {}) =>
  ({ newFailure: 20, team, failure: null, failures: none, ...more }) as never;

const attempt = (seconds: number, more: Partial<Attempt> = {}): Attempt => ({
  ...{ at: after(seconds), remoteAddress: '192.0.2.1', mailFrom: 'a@app.test', rcptTo: ['b@app.test'] },
  ...{ reply: '451 4.7.1 Refused on purpose', ...more },
});
const failure = (more: Partial<Failure> = {}): Failure => ({
  ...{ ...failureWords({}), id: 7, createdAt: after(0), expiresAt: after(3600) },
  ...{ hits: 0, attempts: [], window: null, ...more },
});

/** Makes attempts one after the other, at these seconds, and returns which of them fail with the final failure. */
function count(begun: Failure, seconds: number[]): { fails: boolean[]; failure: Failure } {
  let known = begun;
  const fails = seconds.map((at) => {
    const args = { team: 3, failure: 7, attempt: attempt(at), now: after(at) };
    const { writes, result } = countFailure.plan(facts({ failure: known }), args);
    for (const write of writes) if (write.do === 'put-failure') known = write.failure;
    return result.fails;
  });
  return { fails, failure: known };
}

const kinds = (writes: Write[]) => writes.map((write) => write.do);

test('a new rule is written behind the others, with what is over removed', () => {
  const { writes, result } = addFailure.plan(facts(), {
    team: 3,
    input: { expiresIn: 60 },
    now: after(5),
    most: 1,
  });
  assert.deepEqual(kinds(writes), ['remove-failures', 'put-failure', 'renew-failures']);
  assert.partialDeepStrictEqual(result, { id: 20, hits: 0, createdAt: after(5), expiresAt: after(65) });
  const add = (more: object) => () =>
    addFailure.plan(facts(more), { team: 3, input: {}, now: after(0), most: 2 });
  assert.throws(add({ failures: { ...none, rules: 2 } }), Invalid);
  assert.throws(add({ team: null }), NotFound);
  assert.throws(() => addFailure.plan(facts(), { team: 3, input: { reply: 'x' }, now: after(0) }), Invalid);
});

test('a rule is removed until it is over', () => {
  const remove = (seconds: number, known: Failure | null = failure()) =>
    removeFailure.plan(facts({ failure: known }), { team: 3, failure: 7, now: after(seconds) });
  assert.deepEqual(kinds(remove(0).writes), ['remove-failures', 'renew-failures']);
  assert.throws(() => remove(3600), NotFound);
  assert.throws(() => remove(0, null), NotFound);
});

test('a change keeps the counts, and lets the rule end as before', () => {
  const set = (
    input: FailureInput,
    known: Failure | null = failure({ hits: 2, times: 5 }),
    now = after(10),
  ) => setFailure.plan(facts({ failure: known }), { team: 3, failure: 7, set: input, now });
  const { writes, result } = set({ active: false, name: 'Full' });
  assert.deepEqual(kinds(writes), ['put-failure', 'renew-failures']);
  const kept = { id: 7, hits: 2, times: 5, expiresAt: after(3600) };
  assert.partialDeepStrictEqual(result, { ...kept, active: false, name: 'Full' });
  assert.deepEqual(set({ expiresIn: 60 }).result.expiresAt, after(70));
  const refusing = failure({ reply: '452 4.2.2 Full' });
  assert.equal(set({ stage: 'end' }, refusing).result.reply, '452 4.2.2 Full');
  assert.equal(set({ action: 'reply', times: 1 }, refusing).result.reply, '452 4.2.2 Full');
  assert.equal(set({ action: 'drop' }, refusing).result.reply, null);
  const bounce = failure({ action: 'dsn', dsn: 'failed', reply: '550 5.1.1 No' });
  assert.equal(set({ dsn: 'delayed' }, bounce).result.reply, '451 4.4.1 Delayed on purpose');
  assert.equal(set({ stage: 'api' }, refusing).result.reply, '503 Refused on purpose');
  assert.throws(() => set({ reply: 'x' }), Invalid);
  assert.throws(() => set({}, null), NotFound);
  assert.throws(() => set({}, failure(), after(3600)), NotFound);
});

test('a rule that is paused lets attempts pass, and does not record them', () => {
  assert.deepEqual(count(failure({ active: false }), [1]), {
    fails: [false],
    failure: failure({ active: false }),
  });
});

test('attempts fail as often as the rule says, and each is recorded', () => {
  const always = count(failure(), [1, 2, 3]);
  assert.deepEqual([always.fails, always.failure.hits], [[true, true, true], 3]);
  const twice = count(failure({ times: 2 }), [1, 2, 3]);
  assert.deepEqual([twice.fails, twice.failure.hits], [[true, true, false], 2]);
  assert.deepEqual(twice.failure.attempts, [attempt(1), attempt(2), attempt(3, { reply: null })]);
});

test('a rate lets as many pass in each of its windows', () => {
  const rate = { limit: 2, seconds: 10 };
  const limited = count(failure({ rate }), [0, 1, 9, 9.999, 10, 11, 12, 25]);
  assert.deepEqual(limited.fails, [false, false, true, true, false, false, true, false]);
  assert.equal(limited.failure.hits, 3);
  const both = count(failure({ rate, times: 1 }), [0, 1, 2, 3, 4]);
  assert.deepEqual(both.fails, [false, false, true, false, false]);
});

test('nothing is counted once a rule is over or gone', () => {
  const over = count(failure({ hits: 1 }), [3599, 3600]);
  assert.deepEqual([over.fails, over.failure.hits], [[true, false], 2]);
  const gone = countFailure.plan(facts(), { team: 3, failure: 7, attempt: attempt(0), now: after(0) });
  assert.deepEqual(gone, { writes: [], result: { fails: false } });
});

test('the last attempts are kept, within their limits', () => {
  const many = count(
    failure(),
    Array.from({ length: 130 }, (_, second) => second),
  );
  assert.deepEqual([many.failure.hits, many.failure.attempts.length], [130, 100]);
  assert.deepEqual(many.failure.attempts[0]?.at, after(30));
  const rcptTo = Array.from({ length: 1000 }, (_, index) => `${'x'.repeat(400)}${index}@app.test`);
  const long = attempt(0, { rcptTo, mailFrom: 'y'.repeat(400) });
  let known = many.failure;
  for (const now of [after(1), after(2), after(3), after(4)]) {
    const args = { team: 3, failure: 7, attempt: long, now };
    for (const write of countFailure.plan(facts({ failure: known }), args).writes)
      if (write.do === 'put-failure') known = write.failure;
  }
  const last = known.attempts.at(-1);
  assert.deepEqual([last?.rcptTo.length, last?.rcptTo[0]?.length, last?.mailFrom?.length], [20, 320, 320]);
  const characters = known.attempts.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  const most = limits.failures.attemptCharacters;
  assert.ok(characters <= most && characters > most - 200, `${characters}`);
});

test('attempts of an address are counted under a key, for as long as their words say', () => {
  const words = failureWords({ times: 1 });
  const args = { team: 3, failure: 'k', words, attempt: attempt(5), now: after(5) };
  const first = countAddressFailure.plan(facts(), args);
  assert.deepEqual(kinds(first.writes), ['remove-failures', 'remove-failures', 'put-failure']);
  assert.partialDeepStrictEqual(first.writes[2], {
    key: 'k',
    failure: { id: 20, hits: 1, expiresAt: after(3605) },
  });
  assert.deepEqual(first.result, { fails: true });

  const known = { failure: failure({ times: 1, hits: 1 }) };
  const second = countAddressFailure.plan(facts(known), args);
  assert.deepEqual([kinds(second.writes), second.result], [['put-failure'], { fails: false }]);
  const over = countAddressFailure.plan(facts(known), { ...args, now: after(3600) });
  assert.partialDeepStrictEqual(over.writes[2], { failure: { id: 20, hits: 1 } });

  const full = { failures: { rules: 0, counts: limits.failures.addresses, oldestCount: 9 } };
  assert.partialDeepStrictEqual(countAddressFailure.plan(facts(full), args).writes[1], { ids: [9] });
  assert.partialDeepStrictEqual(first.writes[1], { ids: [] });
  assert.deepEqual(countAddressFailure.plan(facts({ team: null }), args).writes, []);
});

test('the key of an address tells accounts, senders and recipients apart, whatever their case', () => {
  const key = addressFailureKey(1, 'A@App.test', 'b+fail-451x2.run7@app.test');
  assert.equal(key, addressFailureKey(1, 'a@app.test', 'B+fail-451x2.Run7@APP.test'));
  const others = [
    addressFailureKey(2, 'a@app.test', 'b+fail-451x2.run7@app.test'),
    addressFailureKey(1, '', 'b+fail-451x2.run7@app.test'),
    addressFailureKey(1, 'a@app.test', 'b+fail-451x2.run8@app.test'),
  ];
  assert.equal(new Set([key, ...others]).size, 4);
});
