import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '#test/support/program/cluster.ts';
import { createUser } from '#test/support/program/user.ts';
import { startReplicaSet } from '#test/support/stores/replica-set.ts';
import { ClusterLoad } from './load.ts';

test('the primary of three members steps down, and is killed, under load: nothing acknowledged is lost', {
  timeout: 500_000,
}, async (t) => {
  const set = await startReplicaSet();
  t.after(() => set.close());
  await using cluster = await startCluster({ mongodbUri: set.uri });
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod, { storage_limit: 2 ** 36 });
  await using load = new ClusterLoad(cluster, user, { connections: 8, paceMs: 20, streams: 4 });
  await load.more(100);
  load.ledger.measurePause();
  await set.stepDown();
  await load.more(100);
  t.diagnostic(`stepdown: ${Math.round(load.ledger.longestPauseMs)} ms without a 250`);
  load.ledger.measurePause();
  const killed = await set.primary();
  await killed.end('SIGKILL');
  await load.more(100);
  t.diagnostic(`primary killed: ${Math.round(load.ledger.longestPauseMs)} ms without a 250`);
  load.ledger.measurePause();
  await killed.start();
  await load.more(100);
  await load.stop();
  t.diagnostic(await load.verify(pod, user));
  assert.ok(
    cluster.pods.every(({ isUp }) => isUp),
    'no process ended',
  );
});
