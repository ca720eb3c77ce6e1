import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { Delays } from './delays.ts';

const payers = { of: async (team: number) => team % 10 };

test('a delay that would hold too much mail ends at once, and its bytes are free again behind the others', async () => {
  const reached: string[] = [];
  const delays = new Delays(payers, (name) => reached.push(name));
  const leave = new AbortController();
  const third = limits.mail.delayedBytes / 3;
  const held = [1, 11].map((team) => delays.wait(team, 60_000, leave.signal, third));
  await delays.wait(21, 60_000, undefined, 1);
  assert.deepEqual(reached.splice(0), ['mail.delayedBytes'], 'the teams of one payer have two thirds');
  await delays.wait(2, 1, undefined, third / 2);
  leave.abort();
  await Promise.all(held);
  await delays.wait(1, 1, undefined, 2 * third);
  assert.deepEqual(reached, []);
});

test('the teams of a payer have one number of delays', async () => {
  const reached: string[] = [];
  const delays = new Delays(payers, (name) => reached.push(name));
  const leave = new AbortController();
  const held = Array.from({ length: limits.mail.delays }, (_, at) =>
    delays.wait(10 * at, 60_000, leave.signal),
  );
  await delays.wait(1000, 60_000, undefined);
  await delays.wait(1, 1, undefined);
  assert.deepEqual(reached, ['mail.delays']);
  leave.abort();
  await Promise.all(held);
});
