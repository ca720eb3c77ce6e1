import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collections } from '#adapters/stores/mongo/schema/collections.ts';
import { untilLocked } from './team-versions.ts';

/** Collection without a server. `versions` are those of user 1 at each look, the last one again and again. */
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
