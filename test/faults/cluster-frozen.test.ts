import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster } from '#test/support/cluster.ts';
import { startOwnMongod } from '#test/support/mongod.ts';
import { until } from '#test/support/until.ts';
import { createUser } from '#test/support/user.ts';
import { ClusterLoad } from './cluster-load.ts';

const terms = { connections: 8, paceMs: 0, streams: 4 };
const rounds = 12;
const mongodStillMs = 25_000;

test('an SMTP process that stands still amid its work holds up the other for seconds, and nothing is lost or doubled', {
  timeout: 150_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ mongodbUri: mongo.uri });
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod, { storage_limit: 2 ** 40 });
  await using load = new ClusterLoad(cluster, user, terms);
  await load.more(30);
  load.ledger.measurePause();
  for (let round = 0; round < rounds; round += 1) {
    const still = cluster.smtp[round % 2];
    // The moment is what this test varies; nothing is waited for.
    await pause(randomInt(0, 50));
    still?.freeze(true);
    await load.more(40);
    still?.freeze(false);
    await load.more(20);
  }
  await load.stop();
  assert.deepEqual(
    [...load.ledger.refused.keys()].filter((code) => code !== '451 4.3.0'),
    [],
    'no other refusal',
  );
  t.diagnostic(`${rounds} rounds: ${await load.verify(pod, user)}`);
});

test(`mongod stands still for ${mongodStillMs / 1000} s: nothing is acknowledged, clients get answers, all recovers by itself`, {
  timeout: 150_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ mongodbUri: mongo.uri });
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod, { storage_limit: 2 ** 40 });
  await using load = new ClusterLoad(cluster, user, terms);
  await load.more(50);
  mongo.server.freeze(true);
  const begun = performance.now();
  // Answers to what was written before may be under way.
  await pause(500);
  const promised = load.ledger.promised.size;
  const asked = fetch(`${pod.baseUrl}/api/messages?limit=1`, { headers: { 'X-API-KEY': user.key } });
  const refusedAfterMs = until(() => load.ledger.refused.size > 0, 60_000).then(
    () => performance.now() - begun,
  );
  const answeredAfterMs = asked.then(({ status }) => {
    assert.equal(status, 503);
    return performance.now() - begun;
  });
  await until(async () => (await pod.probe('readyz')) === 503);
  assert.equal(await pod.probe('livez'), 200);
  await pause(mongodStillMs - (performance.now() - begun));
  assert.equal(load.ledger.promised.size, promised, 'nothing is acknowledged');
  const [refused, answered] = await Promise.all([refusedAfterMs, answeredAfterMs]);
  mongo.server.freeze(false);
  const back = performance.now();
  await load.more(30);
  await Promise.all(cluster.pods.map((one) => until(async () => (await one.probe('readyz')) === 200)));
  t.diagnostic(`back within ${Math.round(performance.now() - back)} ms`);
  t.diagnostic(
    `a mail was refused after ${Math.round(refused)} ms, a request after ${Math.round(answered)} ms`,
  );
  await load.stop();
  assert.deepEqual([...load.ledger.refused.keys()], ['451 4.3.0'], 'the only refusal');
  t.diagnostic(await load.verify(pod, user));
});
