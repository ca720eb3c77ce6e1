import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cluster, startCluster } from '#test/support/program/cluster.ts';
import { createUser, type User } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { ClusterLoad } from './load.ts';

/** Longer than two waits of ten seconds, one of which any email or request has. */
const mongodAwayMs = 25_000;
const terms = { connections: 6, paceMs: 50, streams: 4 };
const secondsSince = (begun: number) => ((performance.now() - begun) / 1000).toFixed(1);

test(`mongod away for ${mongodAwayMs / 1000} s: 451, 503, nothing acknowledged; all recovers by itself within 10 s`, {
  timeout: 300_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ mongodbUri: mongo.uri });
  const { user, pod } = await userOf(cluster);
  await using load = new ClusterLoad(cluster, user, terms);
  await load.more(50);
  await mongo.server.end('SIGTERM');
  const away = performance.now();
  // A reply may have been in transit when the process ended.
  await until(() => refusals(load) > 0);
  const promised = load.ledger.promised.size;
  const slowestMs = await askWhileAway(cluster, user, away + mongodAwayMs);
  assert.equal(load.ledger.promised.size, promised, 'nothing is acknowledged');
  t.diagnostic(`while away: API answers within ${Math.round(slowestMs)} ms`);

  await mongo.server.start();
  const back = performance.now();
  await Promise.all([
    load.more(1),
    ...cluster.pods.map((one) => until(async () => (await one.probe('readyz')) === 200)),
  ]);
  await until(async () => (await ask(pod.baseUrl, user)).status === 200);
  t.diagnostic(`back: mail, API and readiness within ${secondsSince(back)} s`);
  await load.more(50);
  await load.stop();
  assert.deepEqual([...load.ledger.refused.keys()], ['451 4.3.0'], 'the only refusal');
  assert.ok(refusals(load) > terms.connections);
  t.diagnostic(await load.verify(pod, user));
  assert.ok(
    cluster.pods.every(({ isUp }) => isUp),
    'no process ended',
  );
});

/** Sends requests to the API and the probes until `deadline`. Returns the longest API response time in ms. */
async function askWhileAway(cluster: Cluster, user: User, deadline: number): Promise<number> {
  let slowestMs = 0;
  for (let turn = 0; performance.now() < deadline; turn += 1) {
    const begun = performance.now();
    const [response, ...probes] = await Promise.all([
      ask(cluster.api[turn % 2]?.baseUrl ?? '', user).finally(() => {
        slowestMs = Math.max(slowestMs, performance.now() - begun);
      }),
      ...cluster.pods.flatMap((pod) => [pod.probe('livez'), pod.probe('readyz')]),
    ]);
    assert.deepEqual(
      probes,
      // Pods that only accept mail stay in their Service, because they answer 451.
      cluster.pods.flatMap((pod) => [200, cluster.api.includes(pod) ? 503 : 200]),
    );
    assert.equal(response.status, 503);
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.match(await response.text(), /"code":"store_unavailable"/);
    await paced(100);
  }
  return slowestMs;
}

test('Redis away under load: mail is taken, streams go on from the journal within 3 s, the limit passes all and logs it', {
  timeout: 500_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ mongodbUri: mongo.uri });
  const { user, pod } = await userOf(cluster);
  await using load = new ClusterLoad(cluster, user, terms);
  await load.more(50);
  await cluster.redis.end('SIGKILL');
  load.ledger.measurePause();
  for (let round = 0; round < 3; round += 1) {
    await load.more(30);
    const lagMs = await streamLag(load);
    t.diagnostic(`away: a mail was in all streams after ${Math.round(lagMs)} ms`);
    const begun = performance.now();
    const { status, headers } = await ask(pod.baseUrl, user);
    assert.deepEqual([status, headers.get('ratelimit-remaining')], [200, String(1_000_000 - 1)]);
    t.diagnostic(`away: the API answers within ${Math.round(performance.now() - begun)} ms`);
  }
  t.diagnostic(`away: longest time between two 250s ${Math.round(load.ledger.longestPauseMs)} ms`);
  assert.ok((await pod.metric('sandpost_rate_limit_failures_total')) >= 3);
  const said = pod.log.filter(({ event }) => event === 'rate-limit.failed');
  assert.equal(said.length, 1, 'one line says that the limit lets pass');

  await cluster.redis.start();
  const back = performance.now();
  await until(async () => {
    await load.more(1);
    return (await streamLag(load)) < 500;
  });
  t.diagnostic(`back: events by Redis again within ${secondsSince(back)} s`);
  // Calls are counted again.
  await until(async () => {
    const failures = await pod.metric('sandpost_rate_limit_failures_total');
    await ask(pod.baseUrl, user);
    return (await pod.metric('sandpost_rate_limit_failures_total')) === failures;
  });
  await load.stop();
  assert.deepEqual([load.ledger.refused.size, load.ledger.unanswered], [0, 0]);
  t.diagnostic(await load.verify(pod, user));
});

async function userOf(cluster: Cluster) {
  const [pod] = cluster.api;
  assert.ok(pod);
  return { pod, user: await createUser(pod, { storage_limit: 2 ** 36 }) };
}

/** Returns the time in ms until each stream has the last email answered with 250. */
async function streamLag({ ledger, streams }: ClusterLoad): Promise<number> {
  const begun = performance.now();
  const newest = [...ledger.promised.keys()].at(-1) ?? 0;
  await until(() => streams.every(({ messageIds }) => messageIds.includes(newest)));
  return performance.now() - begun;
}

const ask = (baseUrl: string, { key }: User) =>
  fetch(`${baseUrl}/api/messages?limit=1`, { headers: { 'X-API-KEY': key } });

const refusals = ({ ledger }: ClusterLoad) =>
  [...ledger.refused.values()].reduce((sum, count) => sum + count, 0);
