import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { startCluster } from '#test/support/program/cluster.ts';
import { createUser } from '#test/support/program/user.ts';
import { lasting, moment } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { ClusterLoad } from './load.ts';

const terms = { connections: 8, paceMs: 0, streams: 4 };
const rounds = 4;
const mongodStillMs = 25_000;
/** Time in ms for which an email waits. */
const patienceMs = 10_000;

test('a stopped SMTP process delays the other for seconds, and nothing is lost or doubled', {
  timeout: 280_000,
}, async (t) => {
  const { cluster, load, verify } = await underLoad(t);
  await load.more(30);
  load.ledger.measurePause();
  /** Maximum number of emails that a process refuses because a busy machine prolonged its stop. */
  let late = 0;
  for (let round = 0; round < rounds; round += 1) {
    const still = cluster.smtp[round % 2];
    await moment(randomInt(0, 50));
    still?.freeze(true);
    const begun = performance.now();
    await load.more(40);
    still?.freeze(false);
    if (performance.now() - begun > patienceMs / 2) late += terms.connections;
    await load.more(20);
  }
  await load.stop();
  // MongoDB alone would keep the lock for a minute.
  const { '451 4.3.0': inVain = 0, ...others } = Object.fromEntries(load.ledger.refused);
  assert.ok(inVain <= late, `${inVain} mails waited in vain, and at most ${late} may`);
  assert.deepEqual(others, {});
  t.diagnostic(`${rounds} rounds: ${await verify()}`);
});

test(`mongod stops for ${mongodStillMs / 1000} s: nothing is acknowledged, clients get answers, all recovers by itself`, {
  timeout: 280_000,
}, async (t) => {
  const { mongod, cluster, pod, user, load, verify } = await underLoad(t);
  await load.more(50);
  mongod.freeze(true);
  const begun = performance.now();
  const sinceBegun = () => performance.now() - begun;
  const asked = fetch(`${pod.baseUrl}/api/messages?limit=1`, { headers: { 'X-API-KEY': user.key } });
  const answered = asked.then(({ status }) => ({ status, afterMs: sinceBegun() }));
  await until(() => load.ledger.refused.size > 0, 60_000);
  t.diagnostic(`a mail was refused after ${Math.round(sinceBegun())} ms`);
  // A reply may have been in transit when the process was stopped.
  const promised = load.ledger.promised.size;
  assert.deepEqual([await pod.probe('livez'), await pod.probe('readyz')], [200, 503]);
  const { status, afterMs } = await answered;
  assert.equal(status, 503);
  t.diagnostic(`a request was answered after ${Math.round(afterMs)} ms`);
  await lasting(mongodStillMs - sinceBegun());
  assert.equal(load.ledger.promised.size, promised, 'nothing is acknowledged');

  mongod.freeze(false);
  const back = performance.now();
  await load.more(30);
  await Promise.all(cluster.pods.map((one) => until(async () => (await one.probe('readyz')) === 200)));
  t.diagnostic(`back within ${Math.round(performance.now() - back)} ms`);
  await load.stop();
  assert.deepEqual([...load.ledger.refused.keys()], ['451 4.3.0'], 'the only refusal');
  t.diagnostic(await verify());
});

/** Starts two processes of each kind on their own mongod, under load until the test ends. */
async function underLoad(t: TestContext) {
  const started = new AsyncDisposableStack();
  t.after(() => started.disposeAsync());
  const mongo = await startOwnMongod();
  started.defer(() => mongo.close());
  const cluster = started.use(await startCluster({ mongodbUri: mongo.uri }));
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod, { storage_limit: 2 ** 36 });
  const load = started.use(new ClusterLoad(cluster, user, terms));
  return { mongod: mongo.server, cluster, pod, user, load, verify: () => load.verify(pod, user) };
}
