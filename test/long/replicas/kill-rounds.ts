import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type Cluster, startCluster } from '#test/support/program/cluster.ts';
import type { Pod } from '#test/support/program/pod.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { moment } from '#test/support/runner/clocks.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { ClusterLoad } from './load.ts';

const rounds = 20;
/** Load of fewer mails than the journal keeps, so that the journal can be read from its beginning. */
const terms = { connections: 8, paceMs: 40, streams: 6 };
/** Quota of the small account in bytes. Mails of the load to one address all have the same size. */
const smallRoom = 100_000;

/** Process that can be killed and started again. */
type Victim = { kill(): Promise<void>; start(): Promise<void> };

type Servers = { cluster: Cluster; mongod: Awaited<ReturnType<typeof startOwnMongod>>['server'] };

/** Chooses the pods in turn. */
export function inTurn(pods: Pod[], round: number): Pod {
  const pod = pods[round % pods.length];
  if (pod === undefined) throw new Error('there is none');
  return pod;
}

/** Tests that a cluster keeps its promises while its parts are killed and started again, one in each round. */
export function testKills(name: string, victimOf: (servers: Servers, round: number) => Victim): void {
  test(`kill -9 of ${name} at ${rounds} random moments under load: nothing promised is lost, no event is missing or doubled`, {
    timeout: 550_000,
  }, async (t) => {
    const mongo = await startOwnMongod();
    t.after(() => mongo.close());
    await using cluster = await startCluster({ mongodbUri: mongo.uri });
    await survive(t, cluster, (round) => victimOf({ cluster, mongod: mongo.server }, round));
  });
}

async function survive(t: TestContext, cluster: Cluster, victimOf: (round: number) => Victim): Promise<void> {
  const [pod] = cluster.api;
  assert.ok(pod);
  const user = await createUser(pod, { storage_limit: 2 ** 36 });
  const small = `small@${user.domain.domain}`;
  const { id } = await ok(user.api.post('/api/accounts', { address: small, storage_limit: smallRoom }));
  await using load = new ClusterLoad(cluster, user, terms, [small, small]);
  const begun = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    const victim = victimOf(round);
    await load.more(10);
    await moment(randomInt(0, 300));
    await victim.kill();
    await victim.start();
  }
  await load.more(10);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  await load.stop();
  t.diagnostic(`${rounds} rounds in ${seconds} s: ${await load.verify(pod, user)}`);
  const account = await ok(user.api.get(`/api/accounts/${id}`));
  const mails = account.mailboxes.find(({ path }: { path: string }) => path === 'INBOX').totalMessages;
  const size = account.used_bytes / mails;
  assert.equal(mails, Math.floor(smallRoom / size), 'a quota is used up to its last mail, and not beyond');
  t.diagnostic(`the small account holds ${mails} mails of ${size} bytes in ${smallRoom} bytes`);
}
