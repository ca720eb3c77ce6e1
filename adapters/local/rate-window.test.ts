import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLocalRateWindow } from './rate-window.ts';

test('slides: each call frees its slot when it leaves the window, and refused calls are not counted', async () => {
  let now = 0;
  const rates = createLocalRateWindow(() => now);
  const take = async (at: number) => {
    now = at;
    const { slot, remaining, resetMs } = await rates.take('k', 2, 1000);
    return [slot !== null, remaining, resetMs];
  };
  const cases: [number, boolean, number, number][] = [
    [0, true, 1, 1000],
    [600, true, 0, 400],
    [700, false, 0, 300],
    [999, false, 0, 1],
    [1000, true, 0, 600],
    [1001, false, 0, 599],
    [1600, true, 0, 400],
  ];
  for (const [at, ...expected] of cases) assert.deepEqual(await take(at), expected, `at ${at}`);
});

test('counts keys separately, and takes slots back', async () => {
  const rates = createLocalRateWindow(() => 0);
  const first = await rates.take('a', 1, 1000);
  assert.ok(first.slot !== null);
  assert.equal((await rates.take('a', 1, 1000)).slot, null);
  assert.notEqual((await rates.take('b', 1, 1000)).slot, null);
  await rates.giveBack('a', first.slot);
  assert.notEqual((await rates.take('a', 1, 1000)).slot, null);
  await rates.giveBack('a', 'never given');
  assert.equal((await rates.take('a', 1, 1000)).slot, null);
});

test('evicts keys without calls in their window', async () => {
  let now = 0;
  const rates = createLocalRateWindow(() => now);
  for (let i = 0; i < 1000; i += 1) await rates.take(`old ${i}`, 5, 1000);
  assert.equal(rates.size(), 1000);
  now = 5000;
  for (let i = 0; i < 600; i += 1) await rates.take('busy', 1000, 1000);
  assert.equal(rates.size(), 1);
});

test('has a largest number of keys, and drops those whose last call is the oldest', async () => {
  const rates = createLocalRateWindow(() => 0);
  for (let i = 0; i < 100_050; i += 1) {
    await rates.take(`key ${i}`, 1, 1000);
    if (i % 50_000 === 0) await rates.take('called again', 9, 1000);
  }
  assert.equal(rates.size(), 100_000);
  assert.equal((await rates.take('called again', 9, 1000)).remaining, 5);
  assert.equal((await rates.take('key 100049', 1, 1000)).slot, null);
  assert.notEqual((await rates.take('key 0', 1, 1000)).slot, null);
});
