import assert from 'node:assert/strict';
import { before } from 'node:test';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { cluster, installRelease, release } from '#test/support/kubernetes/release.ts';
import { newTenant } from '#test/support/kubernetes/tenant.ts';

before(() => installRelease());

clusterTest('an upgrade under mail refuses no connection and loses no mail', async (t) => {
  const namespace = await newNamespace(t);
  const { address, secret } = await newTenant(namespace);
  const job = await ClusterJob.start(namespace, 'mailer', 'send-until-told.ts', {
    secret,
    env: { ADDRESS: address, SENDER: 'shop@sender.test' },
  });
  await job.line('sending');

  const pods = await podsOf();
  await installRelease('retentionDays=80');
  assert.deepEqual(intersection(pods, await podsOf()), [], 'each pod is a new one');
  await job.interrupt();

  const { accepted, attempts, asked, total, seconds, failures } = await job.result();
  t.diagnostic(`${attempts} mails and ${asked} requests in ${Math.round(Number(seconds))} s`);
  assert.deepEqual(failures, []);
  assert.equal(accepted, attempts);
  assert.equal(total, attempts);
});

/** Returns the pods of API and SMTP that are not terminating. */
async function podsOf(): Promise<string[]> {
  const pods = await cluster.list('pods', release.namespace);
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .filter((name: string) => /^sandpost-(api|smtp)-/.test(name));
}

const intersection = (some: string[], others: string[]) => some.filter((name) => others.includes(name));
