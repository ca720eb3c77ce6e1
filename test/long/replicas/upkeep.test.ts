import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '#test/support/program/cluster.ts';
import type { Pod } from '#test/support/program/pod.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';

/** Time in ms for which an ended process keeps the lease. */
const leaseMs = 30_000;

test('upkeep runs in one process at a time; when that is killed another takes over within the lease', {
  timeout: 500_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({
    mongodbUri: mongo.uri,
    api: 3,
    smtp: 0,
    settings: { SANDPOST_MX_INTERVAL: '1' },
  });
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod);
  await ok(user.api.post('/api/domains', { domain: 'pending.test' }));
  const checks = async () => Promise.all(cluster.api.map(checksOf));
  /** Waits until `least` checks have run, and returns the processes that ran checks since the call. */
  const workers = async (least: number) => {
    const before = await checks();
    let made: number[] = [];
    await until(async () => {
      made = (await checks()).map((count, index) => count - (before[index] ?? 0));
      return made.reduce((sum, count) => sum + count, 0) >= least;
    });
    return cluster.api.filter((_, index) => (made[index] ?? 0) > 0);
  };

  const [holder, ...others] = await workers(4);
  assert.ok(holder);
  assert.deepEqual(others, [], 'one process checks');

  const questions = cluster.dns.questions.length;
  await holder.kill();
  const killed = performance.now();
  let second: Pod[] = [];
  while (second.length === 0 && performance.now() - killed < 2 * leaseMs) {
    second = await workers(1).catch(() => []);
  }
  const tookMs = performance.now() - killed;
  t.diagnostic(`killed: another checked after ${(tookMs / 1000).toFixed(1)} s`);
  assert.equal(second.length, 1, 'one process took over');
  assert.ok(cluster.dns.questions.length > questions);
  assert.deepEqual(await workers(4), second, 'one process checks');

  const stopped = performance.now();
  await second[0]?.stop();
  const [third, ...rest] = await workers(2);
  t.diagnostic(
    `stopped: another checked twice within ${((performance.now() - stopped) / 1000).toFixed(1)} s`,
  );
  assert.ok(third && third !== second[0] && rest.length === 0);
  assert.ok(performance.now() - stopped < leaseMs - 5000, 'an orderly stop gives the lease back');
});

const checksOf = (pod: Pod) => (pod.isUp ? pod.metric('sandpost_mx_checks_total') : 0);
