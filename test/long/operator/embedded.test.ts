import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { eachOne, inbox, mailExpectation, oneOfEach } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import { senderRoles } from '#test/support/kubernetes/operator-role.ts';
import { runCommand } from '#test/support/program/command.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

suite('one process with an operator and its own store', { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let folder: string;
  before(async () => {
    lab = await startOperatorLab();
    folder = await mkdtemp(path.join(tmpdir(), 'sandpost-embedded-'));
  });
  after(async () => {
    await lab[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  /** Settings of the single process: the lab's, without its stores. */
  const settings = () => {
    const { SANDPOST_MONGODB_URI: _m, SANDPOST_REDIS_URL: _r, ...own } = lab.settings;
    return { ...own, SANDPOST_DATA_DIR: path.join(folder, 'data'), SANDPOST_OPERATOR: 'true' };
  };
  const keyOf = async (qa: string, secret: string) =>
    atob((await lab.kubectl.get('secret', qa, secret)).data.SANDPOST_API_KEY);
  const clientOf = ({ ports }: Process, key: string) =>
    new HttpClient({ baseUrl: `http://127.0.0.1:${ports.http}`, httpPort: ports.http }, { 'x-api-key': key });
  /** Subjects of the messages that a key may read, and the addresses that they were sent to. */
  const mailOf = async (api: Process, key: string): Promise<string[]> => {
    const { items } = (await clientOf(api, key).get('/api/messages')).json;
    return items.map(({ subject, to_addresses: to }: Json) => `${subject} ${to}`);
  };

  test('names the pods that send', async () => {
    const qa = await lab.newNamespace();
    await lab.kubectl.apply(...senderRoles, ...oneOfEach(qa), {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: qa, name: 'app' } },
      spec: { containers: [{ name: 'app', image: 'app' }] },
    });
    const status = JSON.stringify({
      status: { phase: 'Running', podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] },
    });
    await lab.kubectl.run(
      'patch',
      'pod',
      'app',
      '-n',
      qa,
      '--subresource=status',
      '--type=merge',
      '-p',
      status,
    );
    const data = { SANDPOST_DATA_DIR: path.join(folder, 'senders'), SANDPOST_ATTRIBUTE_SENDERS: 'true' };
    const program = await startProcess('start', { ...settings(), ...data });
    try {
      await lab.kubectl.ready(qa, eachOne);
      const client = clientOf(program, await keyOf(qa, 'k'));
      let id = 0;
      await until(async () => {
        id = await deliverOne({ smtpPort: program.ports.smtp }, { to: `qa@${qa}.test` });
        return (await client.get(`/api/messages/${id}`)).json.sender !== null;
      }, 60_000);
      const sender = { namespace: qa, pod: 'app', workload: null };
      assert.deepEqual((await client.get(`/api/messages/${id}`)).json.sender, sender);
      const { items } = (await client.get(`/api/messages?q=namespace:${qa}+pod:app`)).json;
      const ids = items.map((item: Json) => item.id);
      assert.deepEqual(ids, [id]);
    } finally {
      await program.stop();
      await lab.kubectl.run('delete', 'pod', 'app', '-n', qa, '--grace-period=0', '--force');
    }
  });

  test('serves all resources, through a kill, and moves to the cluster store with them', async () => {
    const qa = await lab.newNamespace();
    const address = `qa@${qa}.test`;
    let program = await startProcess('start', settings());
    let [api, operator]: (Process | null)[] = [null, null];
    try {
      await lab.kubectl.apply(
        ...oneOfEach(qa),
        inbox(qa, 'own', { domain: 'd' }),
        mailExpectation(qa, 'first', { to: address, subject: 'First' }),
      );
      await lab.kubectl.ready(qa, [...eachOne, 'inbox/own']);
      const inboxAddress = (await lab.kubectl.get('inbox', qa, 'own')).status.address;
      await deliverOne({ smtpPort: program.ports.smtp }, { to: address, subject: 'First' });
      await conditionIs(lab.kubectl, ['mailexpectation', qa, 'first'], { type: 'Met', status: 'True' });
      const [key, ownKey] = [await keyOf(qa, 'k'), await keyOf(qa, 'own')];

      await program.kill();
      program = await startProcess('start', settings());
      await deliverOne({ smtpPort: program.ports.smtp }, { to: inboxAddress, subject: 'Second' });
      await lab.kubectl.apply(...oneOfEach(`${qa}`), inbox(qa, 'late', { domain: 'd' }));
      await lab.kubectl.ready(qa, ['inbox/late']);
      assert.equal(await keyOf(qa, 'k'), key, 'the key stays');
      const mail = [`Second ${inboxAddress}`, `First ${address}`];
      assert.deepEqual(await mailOf(program, key), mail);
      assert.deepEqual(await mailOf(program, ownKey), mail.slice(0, 1));
      await program.stop();

      // In the order of docs/backup.md: export, the cluster store without an operator, import, the operator.
      const archive = path.join(folder, 'archive');
      const { out } = await runCommand(['export', archive], settings());
      assert.match(out, /^2 messages written/);
      api = await startProcess('api', lab.settings);
      const imported = await runCommand(['import', archive, '--trust-people'], lab.settings);
      assert.equal(imported.code, 0, imported.err);
      assert.match(imported.out, /^2 messages read/);
      assert.deepEqual(await mailOf(api, key), mail, 'the keys of applications stay');
      operator = await lab.startOperator();
      const { id } = (await clientOf(api, key).get('/api/domains')).json.items[0];
      const isTaken = async () => (await lab.kubectl.get('domain', qa, 'd')).status.domainId === id;
      await until(isTaken, 60_000, 100);
      await lab.kubectl.ready(qa, [...eachOne, 'inbox/own', 'inbox/late']);
      assert.equal(await keyOf(qa, 'k'), key);
      // An Inbox's key, which does not move, is stored again from its Secret.
      const own = api;
      const mailOfInbox = async () => (await clientOf(own, ownKey).get('/api/messages')).status === 200;
      await until(mailOfInbox, 60_000, 100);
      assert.deepEqual(await mailOf(api, ownKey), mail.slice(0, 1));
      await lab.kubectl.run('delete', 'domain/d', '-n', qa, '--timeout=60s');
      assert.deepEqual((await clientOf(api, key).get('/api/domains')).json.items, []);
    } finally {
      // Orderly stops: a killed process may leave a transaction, whose end the database's removal waits for.
      await Promise.all([program, api, operator].map((one) => one?.stop()));
    }
  });
});
