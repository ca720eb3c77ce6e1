import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { apiKey, domain, inbox } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { senderRoles } from '#test/support/kubernetes/operator-role.ts';
import { runCommand } from '#test/support/program/command.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

const settings = { SANDPOST_ATTRIBUTE_SENDERS: 'true' };
type Owner = { kind: string; name: string; apiVersion: string };

suite('the sender of a mail', { skip: noKubernetes }, () => {
  const scene = operatorScene(settings);
  let [api, smtp]: (Process | null)[] = [null, null];
  before(async () => {
    await scene.lab.kubectl.apply(...senderRoles);
    const own = { ...scene.lab.settings, ...settings };
    [api, smtp] = await Promise.all([startProcess('api', own), startProcess('smtp', own)]);
  });
  after(() => Promise.all([api?.kill(), smtp?.kill()]));

  /** Creates a Pod with an address, as kubelet reports it. */
  async function startPod(namespace: string, name: string, ip: string, words: Json = {}): Promise<void> {
    const { spec, owner, labels } = words;
    const ownerReferences = owner && [{ ...owner, uid: `${owner.kind}-${owner.name}`, controller: true }];
    await scene.lab.kubectl.apply({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { namespace, name, ...(labels && { labels }), ...(owner && { ownerReferences }) },
      spec: { containers: [{ name: 'app', image: 'app' }], ...spec },
    });
    await setStatus(namespace, name, {
      phase: 'Running',
      podIP: ip,
      podIPs: [{ ip }],
      hostIP: '192.0.2.1',
      hostIPs: [{ ip: '192.0.2.1' }],
    });
  }
  const setStatus = (namespace: string, name: string, status: Json) =>
    scene.lab.kubectl.run(
      ...['patch', 'pod', name, '-n', namespace, '--subresource=status', '--type=merge'],
      ...['-p', JSON.stringify({ status })],
    );
  const endPod = (namespace: string, name: string) =>
    scene.lab.kubectl.run('delete', 'pod', name, '-n', namespace, '--grace-period=0', '--force');

  /** Creates a namespace with an inbox. Returns functions that send and read its mail. */
  async function newInbox() {
    const { lab } = scene;
    const qa = await lab.newNamespace();
    await lab.kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test` }),
      inbox(qa, 'mine', { domain: 'd' }),
      apiKey(qa, 'key', {}),
    );
    await lab.kubectl.ready(qa, ['inbox/mine', 'apikey/key']);
    const to: string = (await lab.kubectl.get('inbox', qa, 'mine')).status.address;
    const key = atob((await lab.kubectl.get('secret', qa, 'key')).data.SANDPOST_API_KEY);
    const httpPort = api?.ports.http ?? 0;
    const client = new HttpClient(
      { baseUrl: `http://127.0.0.1:${httpPort}`, httpPort },
      { 'x-api-key': key },
    );
    const send = () => deliverOne({ smtpPort: smtp?.ports.smtp ?? 0 }, { to });
    const senderOf = async (id: number) => (await client.get(`/api/messages/${id}`)).json.sender;
    return {
      qa,
      client,
      send,
      senderOf,
      /** Sends emails until one shows the sender, because the operator follows Pods within moments. Returns its ID. */
      async sentBy(wanted: Json): Promise<number> {
        let last = 0;
        const isSent = async () => {
          last = await send();
          return JSON.stringify(await senderOf(last)) === JSON.stringify(wanted);
        };
        await until(isSent, 60_000, 100).catch(async () => assert.deepEqual(await senderOf(last), wanted));
        return last;
      },
      found: async (q: string): Promise<number[]> =>
        (await client.get(`/api/messages?q=${encodeURIComponent(q)}`)).json.items.map(({ id }: Json) => id),
    };
  }

  test('is the Pod with its address, which the API shows and searches find', async () => {
    const { qa, client, send, senderOf, sentBy, found } = await newInbox();
    assert.equal(await senderOf(await send()), null);
    const owner: Owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9' };
    await startPod(qa, 'web-5d9-x2', '127.0.0.1', { owner, labels: { 'pod-template-hash': '5d9' } });
    const sender = { namespace: qa, pod: 'web-5d9-x2', workload: 'Deployment/web' };
    const id = await sentBy(sender);
    for (const q of [`namespace:${qa}`, 'pod:web-5d9-x2', 'workload:web', 'workload:deployment/web'])
      assert.deepEqual(await found(q), [id], q);
    for (const q of ['pod:web', 'workload:web-5d9', 'namespace:default'])
      assert.deepEqual(await found(q), [], q);
    const rule = { name: 'Mine', q: `namespace:${qa}`, tags: ['mine'] };
    assert.equal((await client.post('/api/rules', rule)).status, 200);
    const ruled = (await client.get(`/api/messages/${await send()}`)).json;
    assert.deepEqual(ruled.tags, ['mine'], 'a rule sees it');
    await endPod(qa, 'web-5d9-x2');
    await sentBy(null);
    assert.deepEqual(await senderOf(id), sender, 'earlier mail keeps it');
  });

  test('is never the one before that had its address, nor a node or one of two', async () => {
    const { qa, sentBy } = await newInbox();
    await startPod(qa, 'first', '127.0.0.1');
    await sentBy({ namespace: qa, pod: 'first', workload: null });
    // The second Pod has the address while the first, which is being deleted, still exists.
    await startPod(qa, 'second', '127.0.0.1');
    await sentBy(null);
    const finalizers = JSON.stringify({ metadata: { finalizers: ['test/held'] } });
    await scene.lab.kubectl.run('patch', 'pod', 'first', '-n', qa, '--type=merge', '-p', finalizers);
    await scene.lab.kubectl.run('delete', 'pod', 'first', '-n', qa, '--wait=false', '--grace-period=0');
    await sentBy({ namespace: qa, pod: 'second', workload: null });
    await setStatus(qa, 'second', { phase: 'Succeeded' });
    await sentBy(null);
    await startPod(qa, 'host', '127.0.0.1', { spec: { hostNetwork: true } });
    await startPod(qa, 'last', '10.9.9.9');
    await setStatus(qa, 'last', { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] });
    await sentBy({ namespace: qa, pod: 'last', workload: null });
    await setStatus(qa, 'host', { hostIP: '127.0.0.1', hostIPs: [{ ip: '127.0.0.1' }] });
    await sentBy(null);
    for (const name of ['host', 'last']) await endPod(qa, name);
  });

  test('is not one of today in mail of an archive', async () => {
    const { qa, client, send, senderOf, sentBy } = await newInbox();
    await sentBy(null);
    const id = await send();
    const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-senders-'));
    const own = { ...scene.lab.settings, ...settings };
    assert.equal((await runCommand(['export', folder], own)).code, 0);
    assert.equal((await client.delete(`/api/messages/${id}`)).status, 200);
    await startPod(qa, 'today', '127.0.0.1');
    await sentBy({ namespace: qa, pod: 'today', workload: null });
    const idsOf = async (): Promise<number[]> =>
      (await client.get('/api/messages')).json.items.map((item: Json) => item.id);
    const before = await idsOf();
    const { code, err } = await runCommand(['import', folder], own);
    assert.equal(code, 0, err);
    const [imported = 0] = (await idsOf()).filter((one) => !before.includes(one));
    assert.ok(imported > 0);
    assert.equal(await senderOf(imported), null);
    await endPod(qa, 'today');
    await rm(folder, { recursive: true });
  });

  test('is of the CronJob that created its Job, and known again to the next operator', async () => {
    const { qa, send, senderOf, sentBy } = await newInbox();
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app' }] } };
    const cron = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'digest', uid: 'c', controller: true };
    await scene.lab.kubectl.apply({
      ...{ apiVersion: 'batch/v1', kind: 'Job', spec: { template } },
      metadata: { namespace: qa, name: 'digest-29', ownerReferences: [cron] },
    });
    const owner: Owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'digest-29' };
    await startPod(qa, 'digest-29-a', '127.0.0.1', { owner });
    const sender = { namespace: qa, pod: 'digest-29-a', workload: 'CronJob/digest' };
    await sentBy(sender);
    await scene.operator.kill();
    await endPod(qa, 'digest-29-a');
    // Nobody renews the table, so it expires, and the address's next holder is not mistaken for its last Pod.
    await sentBy(null);
    await startPod(qa, 'next', '127.0.0.1');
    assert.equal(await senderOf(await send()), null);
    await scene.startAgain(settings);
    await sentBy({ namespace: qa, pod: 'next', workload: null });
    await endPod(qa, 'next');
  });
});
