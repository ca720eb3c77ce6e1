import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import {
  account,
  domain,
  inbox,
  mailExpectation,
  member,
} from '#test/support/kubernetes/custom-resources.ts';
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

// Side by side, because they wait for pods.
describe('a team', { concurrency: true }, () => {
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

  clusterTest(
    'an Inbox gives a Job an address and a key, kubectl waits for its code, and all goes with the Job',
    async (t) => {
      const namespace = await newNamespace(t);
      const kubectl = (...args: string[]) => cluster.run(...args, '-n', namespace);
      const wait = (...args: string[]) => kubectl('wait', '--timeout=120s', ...args);
      await cluster.apply(
        domain(namespace, 'shop', { domain: `${namespace}.test` }),
        member(namespace, 'admin', { email: 'admin@sandpost.test', role: 'viewer' }),
        member(namespace, 'ada', { email: `ada@${namespace}.test` }),
      );
      // Same order as docs/inboxes.md.
      const more = { secret: 'sign-up', env: { SENDER: 'shop@sender.test' }, suspend: true };
      const job = await ClusterJob.start(namespace, 'sign-up', 'receive-code.ts', more);
      const { uid } = (await cluster.get('job', namespace, 'sign-up')).metadata;
      const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'sign-up', uid };
      const made = inbox(namespace, 'sign-up', { domain: 'shop', addressPrefix: 'sign-up' });
      await cluster.apply({ ...made, metadata: { ...made.metadata, ownerReferences: [owner] } });
      await wait('--for=condition=Ready', 'spinbox/sign-up', 'spmem/admin', 'spmem/ada');
      const { address } = (await cluster.get('inbox', namespace, 'sign-up')).status;
      await cluster.apply(mailExpectation(namespace, 'code', { to: address, subject: 'Welcome' }));
      await wait('--for=condition=Ready', 'spexp/code');
      await kubectl('patch', 'job/sign-up', '--type=merge', '-p', '{"spec":{"suspend":false}}');
      await wait('--for=condition=Met', 'spexp/code');
      assert.equal(await kubectl('get', 'spexp/code', '-o', 'jsonpath={.status.codes[0]}'), '493817');
      await wait('--for=jsonpath={.status.code}=493817', 'spinbox/sign-up');
      assert.partialDeepStrictEqual(await job.result(), { wait: 'met', codes: ['493817'] });

      const shown = await kubectl('get', 'sandpost');
      assert.match(shown, /^inbox\S*\/sign-up +sign-up-[0-9a-f]{24}@\S+ +True +Active +493817/m);
      assert.match(shown, /\/code +sign-up-\S+ +Welcome +True +Arrived +493817/);
      assert.match(shown, /\/admin +admin@sandpost\.test +viewer +True +Joined/);
      assert.match(shown, /\/ada +ada@\S+ +member +True +NotRegistered/);
      const told = await kubectl('describe', 'spexp/code', 'spmem/ada');
      assert.match(told, /Normal +Met +.*the message arrived/);
      assert.match(told, /Normal +NotRegistered /);
      const both = member(namespace, 'both', { email: 'ada@app.test', group: 'devs' });
      assert.match(await cluster.refusal(both), /must have either email or group/);
      assert.match(await kubectl('explain', 'spinbox.status.code'), /Newest one-time code/);

      const headers = { 'x-api-key': await keyOf(namespace, 'sign-up') };
      await using api = await forwardApi();
      const status = async () => (await fetch(`${api.url}/api/messages`, { headers })).status;
      assert.equal(await status(), 200);
      await kubectl('delete', 'job/sign-up', '--timeout=60s');
      await wait('--for=delete', 'spinbox/sign-up', 'secret/sign-up');
      await wait('--for=delete', 'pods', '--all');
      assert.equal(await status(), 401);
    },
  );

  clusterTest(
    'an Account simulates failures for as long as it says so, and a mail names its Job',
    async (t) => {
      const namespace = await newNamespace(t);
      const { domain, secret } = await newTenant(namespace);
      const simulates = async (simulatesFailures: boolean) => {
        await cluster.apply(account(namespace, 'all', { address: `*@${domain}`, simulatesFailures }));
        await cluster.ready(namespace, ['account/all'], 180);
      };
      await simulates(true);
      const job = await ClusterJob.start(namespace, 'mailer', 'send-and-tell.ts', {
        secret,
        env: { ADDRESS: `qa+fail-550-5.1.1@${domain}`, SENDER: 'shop@sender.test' },
      });
      const { refused } = await job.line('refused');
      assert.equal(refused, '550 5.1.1 Refused on purpose');
      await simulates(false);
      const { accepted } = await job.line('accepted');
      assert.match(String(accepted), /^250 2\.6\.0 stored as /);

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
    },
  );
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
