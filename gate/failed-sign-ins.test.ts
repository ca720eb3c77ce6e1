import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalRateWindow } from '#adapters/local/rate-window.ts';
import { TooMany } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { FailedSignIns, KnownPasswords } from './failed-sign-ins.ts';

const most = limits.access.failedSubmitters;

/** Two processes that share their windows, and a clock that the test moves. */
function world() {
  const clock = { ms: 0 };
  const now = () => clock.ms;
  let takes = 0;
  const window = createLocalRateWindow(now);
  const attempts: typeof window = {
    ...window,
    take: (...call) => {
      takes += 1;
      return window.take(...call);
    },
  };
  const metrics = { limitReached: () => {} };
  const create = () => new FailedSignIns({ attempts, metrics }, now);
  return { clock, here: create(), there: create(), takes: () => takes };
}

async function fail(failures: FailedSignIns, times: number, ...parties: string[]): Promise<void> {
  for (let done = 0; done < times; done += 1) await failures.count(parties);
}

test('a party is refused after its failures, until the first of them is a minute old', async () => {
  const { clock, here } = world();
  await fail(here, 1, 'a');
  clock.ms = 20_000;
  await fail(here, most - 1, 'a', 'b');
  for (const party of ['a', 'b']) here.check(party);
  await assert.rejects(here.count(['a']), (error: Error) => {
    return error instanceof TooMany && error.retryAfterMs === 40_000;
  });
  here.check('b');
  assert.throws(() => here.check('a'), TooMany);
  clock.ms = 59_999;
  assert.throws(() => here.check('a'), TooMany);
  clock.ms = 60_000;
  here.check('a');
});

test('failures in another process count, and a check asks none', async () => {
  const { here, there, takes } = world();
  await fail(here, most, 'a');
  there.check('a');
  await assert.rejects(there.count(['a']), TooMany);
  assert.throws(() => there.check('a'), TooMany);
  here.check('a');
  assert.equal(takes(), most + 1);
});

test('of too many refused parties the oldest may try again', async () => {
  const { here } = world();
  const crowd = limits.access.refusedSubmitters + 1;
  for (let party = 0; party < crowd; party += 1) {
    await fail(here, most, String(party));
    await assert.rejects(here.count([String(party)]));
  }
  here.check('0');
  assert.throws(() => here.check('1'), TooMany);
});

test('of a name that failed too often, guesses of clients that failed are refused', async () => {
  const { clock, here } = world();
  await fail(here, most, 'name', 'guesser');
  here.checkGuess('guesser', 'name');
  assert.equal(here.turnOf('sender', 'name'), null);
  assert.equal(here.turnOf('guesser', 'name'), 'guesser', 'a client that failed has one turn');
  await assert.rejects(here.count(['another', 'name']), TooMany);
  assert.throws(() => here.checkGuess('guesser', 'name'), TooMany);
  assert.throws(() => here.checkGuess('another', 'name'), TooMany, 'one failure is enough then');
  here.checkGuess('sender', 'name');
  here.checkGuess('guesser', 'other name');
  assert.equal(here.turnOf('sender', 'name'), 'name', 'all guesses at the name share one turn');
  clock.ms = 60_000;
  here.checkGuess('guesser', 'name');
  assert.equal(here.turnOf('guesser', 'name'), null);
});

test('a password is known with its hash alone, for a minute', () => {
  let now = 0;
  const known = new KnownPasswords(() => now);
  assert.equal(known.has('hash', 'secret'), false);
  known.add('hash', 'secret');
  now = limits.access.knownPasswordMs - 1;
  assert.equal(known.has('hash', 'secret'), true);
  assert.equal(known.has('other', 'secret'), false);
  assert.equal(known.has('hash', 'Secret'), false);
  assert.equal(new KnownPasswords(() => now).has('hash', 'secret'), false);
  now += 1;
  assert.equal(known.has('hash', 'secret'), false);
});

test('a password that is right again is known longer', () => {
  let now = 0;
  const known = new KnownPasswords(() => now);
  known.add('hash', 'secret');
  now = 40_000;
  known.add('hash', 'secret');
  now = 99_999;
  assert.equal(known.has('hash', 'secret'), true);
});

test('the oldest of too many is forgotten', () => {
  const known = new KnownPasswords(() => 0);
  for (let count = 0; count <= limits.access.knownPasswords; count += 1) known.add('hash', String(count));
  assert.equal(known.has('hash', '0'), false);
  assert.equal(known.has('hash', '1'), true);
});
