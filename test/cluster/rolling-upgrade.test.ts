import assert from 'node:assert/strict';
import { before } from 'node:test';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { installRelease, mailPods } from '#test/support/kubernetes/release.ts';
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

  const pods = await mailPods();
  await installRelease('retentionDays=80');
  assert.deepEqual(intersection(pods, await mailPods()), [], 'each pod is a new one');
  await job.interrupt();

  const { accepted, attempts, asked, total, seconds, failures } = await job.result();
  t.diagnostic(`${attempts} mails and ${asked} requests in ${Math.round(Number(seconds))} s`);
  assert.deepEqual(failures, []);
  assert.equal(accepted, attempts);
  assert.equal(total, attempts);
});

const intersection = (some: string[], others: string[]) => some.filter((name) => others.includes(name));
