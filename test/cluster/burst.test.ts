import assert from 'node:assert/strict';
import { before } from 'node:test';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { killPod } from '#test/support/kubernetes/kill-pod.ts';
import { ensureRelease } from '#test/support/kubernetes/release.ts';
import { newTenant } from '#test/support/kubernetes/tenant.ts';

const jobs = Array.from({ length: 10 }, (_, index) => `job-${index}`);

before(() => ensureRelease());

clusterTest('ten Jobs send a thousand mails and read each, while a pod of each kind is killed', async (t) => {
  const namespace = await newNamespace(t);
  const { domain, secret } = await newTenant(namespace);
  const started = await Promise.all(
    jobs.map((name) =>
      ClusterJob.start(namespace, name, 'send-and-wait.ts', {
        secret,
        env: { ADDRESS: `${name}@${domain}`, SENDER: 'shop@sender.test' },
      }),
    ),
  );
  await Promise.any(started.map((job) => job.line('quarter')));
  await Promise.all([killPod('smtp'), killPod('api')]);

  const results = await Promise.all(started.map((job) => job.result(480)));
  t.diagnostic(`tried again: ${results.map(({ retries }) => retries).join(' ')}`);
  for (const { retries: _, ...result } of results)
    assert.deepEqual(result, { accepted: 100, wait: 'met', unreadable: [] });
});
