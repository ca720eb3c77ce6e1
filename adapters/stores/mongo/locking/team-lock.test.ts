import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collections } from '#adapters/stores/mongo/schema/rows.ts';
import { createBackOff, untilLocked } from './team-lock.ts';

/** Runs transaction `count` of user 1, which started right after the previous one and took 10 ms. */
const transaction = ({ yieldMs }: ReturnType<typeof createBackOff>, count: number) =>
  yieldMs(count * 10, count * 10 + 10, new Map([[1, count]]));

test('a process yields after another process had the lock', () => {
  const backOff = createBackOff();
  assert.equal(transaction(backOff, 7), 0, 'versions before the first transaction are unknown');
  assert.equal(transaction(backOff, 8), 0);
  assert.equal(transaction(backOff, 10), 20);
  assert.equal(transaction(backOff, 11), 0);
});

test('a process that nobody interrupts yields now and then', () => {
  const backOff = createBackOff();
  const given = Array.from({ length: 40 }, (_, i) => transaction(backOff, i + 1));
  assert.deepEqual(
    given.flatMap((ms, i) => (ms > 0 ? i : [])),
    [19, 39],
  );
  backOff.yieldMs(1000, 1010, new Map());
  for (let i = 1; i < 19; i += 1) assert.equal(backOff.yieldMs(1000 + 10 * i, 1010 + 10 * i, new Map()), 0);
  assert.equal(backOff.yieldMs(2000, 2010, new Map()), 0, 'after a gap it counts anew');
});

test('pauses before retries are shorter than a transaction, and never zero', () => {
  const backOff = createBackOff();
  backOff.yieldMs(0, 100, new Map());
  for (let i = 0; i < 100; i += 1) {
    const ms = backOff.retryMs();
    assert.ok(ms >= 2 && ms < 100, `${ms} ms`);
  }
});

/** Collection without a server. `versions` are user 1's at each check. The last repeats. */
function scene(versions: (number | Error)[]) {
  const state = { looks: 0 };
  const toArray = async () => {
    const version = versions[Math.min(state.looks, versions.length - 1)] ?? 0;
    state.looks += 1;
    if (version instanceof Error) throw version;
    return [{ _id: 1, version }];
  };
  const teamVersions = { find: () => ({ toArray }) } as unknown as Collections['teamVersions'];
  return { teamVersions, state };
}

test('a yield ends when another transaction has been committed, or when the server is away', async () => {
  for (const last of [6, new Error('no server')]) {
    const { teamVersions, state } = scene([5, 5, last]);
    await untilLocked(teamVersions, new Map([[1, 5]]), 60_000);
    assert.equal(state.looks, 3);
  }
});

test('a yield ends by itself while nobody else locks the user', async () => {
  const { teamVersions, state } = scene([5]);
  const begun = performance.now();
  await untilLocked(teamVersions, new Map([[1, 5]]), 30);
  assert.ok(performance.now() - begun >= 30);
  assert.ok(state.looks >= 1);
});
