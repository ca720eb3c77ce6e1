import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type Cluster, startCluster } from '#test/support/program/cluster.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { moment } from '#test/support/runner/clocks.ts';
import type { BoundServer } from '#test/support/stores/bound-server.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { ClusterLoad } from './load.ts';

const passes = 2;
/** Load with fewer emails than the journal keeps, so the journal can be read from its start. */
const terms = { connections: 8, paceMs: 60, streams: 6 };
/** Quota of the small account in bytes. All the load's emails to one address have the same size. */
const smallRoom = 100_000;

/** Process that can be killed and restarted. */
type Victim = { kill(): Promise<void>; start(): Promise<void> };

const serverOf = (server: BoundServer): Victim => ({
  kill: () => server.end('SIGKILL'),
  start: () => server.start(),
});

test(`kill -9 of each process, of mongod and of redis-server, at ${passes} random moments each, under load: nothing promised is lost, no event is missing or doubled`, {
  timeout: 550_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ mongodbUri: mongo.uri });
  const victims = [...cluster.pods, serverOf(mongo.server), serverOf(cluster.redis)];
  await survive(t, cluster, Array.from({ length: passes }, () => victims).flat());
});

async function survive(t: TestContext, cluster: Cluster, victims: Victim[]): Promise<void> {
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod, { storage_limit: 2 ** 36 });
  const small = `small@${user.domain.domain}`;
  const { id } = await ok(user.api.post('/api/accounts', { address: small, storage_limit: smallRoom }));
  await using load = new ClusterLoad(cluster, user, terms, [small, small]);
  const begun = performance.now();
  for (const victim of victims) {
    await load.more(10);
    await moment(randomInt(0, 300));
    await victim.kill();
    await victim.start();
  }
  await load.more(10);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  await load.stop();
  t.diagnostic(`${victims.length} kills in ${seconds} s: ${await load.verify(pod, user)}`);
  const account = await ok(user.api.get(`/api/accounts/${id}`));
  const mails = account.mailboxes.find(({ path }: { path: string }) => path === 'INBOX').totalMessages;
  const size = account.used_bytes / mails;
  assert.equal(mails, Math.floor(smallRoom / size), 'a quota is used up to its last mail, and not beyond');
  t.diagnostic(`the small account holds ${mails} mails of ${size} bytes in ${smallRoom} bytes`);
}
