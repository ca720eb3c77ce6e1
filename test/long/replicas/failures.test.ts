import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { CountedRefusals } from '#test/long/faults/counted-refusals.ts';
import { startCluster } from '#test/support/program/cluster.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { moment } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import { startMongod } from '#test/support/stores/mongod.ts';

const times = 400;
const connections = 4;

test('a rule refuses exactly as often as it says, over two processes, also while one after the other is killed', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ mongodbUri: mongo.uri });
  const [pod] = cluster.api;
  assert.ok(pod);
  const { api, address } = await createUser(pod);
  for (const kills of [[], [...cluster.smtp, ...cluster.smtp]]) {
    const { id } = await ok(api.post('/api/failures', { times }));
    const counted = new CountedRefusals();
    const stop = new AbortController();
    const senders = new Set<Promise<void>>();
    const send = (port: number) => {
      for (let n = 0; n < connections; n += 1) senders.add(counted.name(port, address, stop.signal));
    };
    for (const { smtpPort } of cluster.smtp) send(smtpPort);
    for (const victim of kills) {
      const before = counted.refused;
      await until(() => counted.refused > before + 15 || counted.taken > 0);
      await moment(randomInt(0, 50));
      await victim.kill();
      await victim.start();
      send(victim.smtpPort);
    }
    await until(() => counted.taken > 20);
    stop.abort();
    await Promise.all(senders);
    const { hits, attempts } = await ok(api.get(`/api/failures/${id}`));
    assert.equal(hits, times);
    assert.equal(attempts.length, 100);
    assert.ok(counted.refused <= times && times <= counted.refused + counted.unanswered);
    if (kills.length === 0) assert.equal(counted.refused, times);
    t.diagnostic(
      `${kills.length} kills: ${counted.refused} refusals, ${counted.unanswered} without an answer`,
    );
    await ok(api.delete(`/api/failures/${id}`));
  }
});
