import assert from 'node:assert/strict';
import { before } from 'node:test';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { account } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import {
  bootstrapUser,
  cluster,
  ensureRelease,
  forwardApi,
  isOwnCluster,
} from '#test/support/kubernetes/release.ts';
import { keyOf, newTenant } from '#test/support/kubernetes/tenant.ts';
import { setZone } from '#test/support/kubernetes/zone.ts';
import { until } from '#test/support/runner/until.ts';

before(() => ensureRelease());

clusterTest(
  'a Job reads its code with what kubectl apply has made, and all goes with the namespace',
  async (t) => {
    const namespace = await newNamespace(t);
    const { domain, secret } = await newTenant(namespace);
    const sender = `sender-${domain}`;
    if (isOwnCluster) await setZone(sender, '@ TXT "v=spf1 ip4:10.251.0.0/24 -all"');
    const job = await ClusterJob.start(namespace, 'receive-code', 'receive-code.ts', {
      secret,
      env: { ADDRESS: `qa+${namespace}@${domain}`, SENDER: `shop@${sender}` },
    });
    const { wait, id, codes, spf, remote, frame } = await job.result();
    assert.equal(wait, 'met');
    assert.deepEqual(codes, ['493817']);
    // The server sees the pods' own addresses, which the zone names. Another cluster's DNS has no such zone.
    assert.equal(spf, isOwnCluster ? 'pass' : 'none', `from ${remote}`);
    assert.partialDeepStrictEqual(frame, { type: 'message.received', id, subject: 'Welcome' });

    const headers = { 'x-api-key': await keyOf(namespace, secret) };
    await using api = await forwardApi();
    const status = async () => (await fetch(`${api.url}/api/messages/${id}`, { headers })).status;
    assert.equal(await status(), 200);
    await cluster.run('delete', 'namespace', namespace, '--timeout=300s');
    assert.equal(await status(), 401);
    assert.equal(await adminTakes(api.url, domain), 200, 'its name is free again');
  },
);

clusterTest('an Account simulates failures for as long as it says so', async (t) => {
  const namespace = await newNamespace(t);
  const { domain, secret } = await newTenant(namespace);
  const env = { ADDRESS: `qa+fail-550-5.1.1@${domain}`, SENDER: 'shop@sender.test' };
  for (const [simulatesFailures, wanted] of [
    [true, /^550 5\.1\.1 Refused on purpose$/],
    [false, /^250 2\.6\.0 stored as /],
  ] as const) {
    await cluster.apply(account(namespace, 'all', { address: `*@${domain}`, simulatesFailures }));
    await cluster.ready(namespace, ['account/all'], 180);
    const job = await ClusterJob.start(namespace, `send-${simulatesFailures}`, 'send-one.ts', {
      secret,
      env,
    });
    const { reply } = await job.result();
    assert.match(String(reply), wanted);
  }
});

clusterTest('a mail names the Job that sent it, by the address of its pod', async (t) => {
  const namespace = await newNamespace(t);
  const { domain, secret } = await newTenant(namespace);
  const job = await ClusterJob.start(namespace, 'mailer', 'send-until-told.ts', {
    secret,
    env: { ADDRESS: `qa@${domain}`, SENDER: 'shop@sender.test', PER_SECOND: '2' },
  });
  await job.line('sending');
  await using api = await forwardApi();
  const headers = { 'x-api-key': await keyOf(namespace, secret) };
  const read = async (path: string) =>
    (await fetch(`${api.url}${path}`, { headers })).json() as Promise<Json>;
  let id = 0;
  // The first emails may arrive before Kubernetes reports the pod's address.
  await until(async () => {
    const { items } = await read(`/api/messages?q=namespace:${namespace}+workload:job/mailer`);
    id = items[0]?.id ?? 0;
    return id > 0;
  }, 120_000);
  const [pod] = await cluster.list('pods', namespace);
  const { sender, envelope } = await read(`/api/messages/${id}`);
  assert.deepEqual(sender, { namespace, pod: pod.metadata.name, workload: 'Job/mailer' });
  assert.equal(envelope.remote_address, pod.status.podIP);
});

/** Tries to register a domain as the installation's own user. Returns the status, and deletes the domain again. */
async function adminTakes(url: string, domain: string): Promise<number> {
  const headers = { 'x-api-key': (await bootstrapUser()).key, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/domains`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ domain }),
  });
  const { id } = (await response.json()) as { id: number };
  await fetch(`${url}/api/domains/${id}`, { method: 'DELETE', headers });
  return response.status;
}
