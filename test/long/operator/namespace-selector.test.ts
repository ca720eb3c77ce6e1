import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { account, apiKey, domain, mailExpectation } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

const settings = { SANDPOST_NAMESPACE_SELECTOR: 'sandpost=yes,tier!=prod' };
const resources = ['domain/app', 'account/qa', 'apikey/mail'];

suite('namespaces that a label selector chooses', { skip: noKubernetes }, () => {
  const scene = operatorScene(settings);
  let api: Process;
  let smtp: Process;
  before(async () => {
    const { kubectl } = scene.lab;
    // Rights that the chart adds with `operator.namespaceSelector`.
    const rights = ['--verb=list,watch', '--resource=namespaces'];
    await kubectl.run('create', 'clusterrole', 'by-label', ...rights);
    await kubectl.run(
      'create',
      'clusterrolebinding',
      'by-label',
      '--clusterrole=by-label',
      '--user=operator',
    );
    [api, smtp] = await Promise.all([
      startProcess('api', scene.lab.settings),
      startProcess('smtp', scene.lab.settings),
    ]);
  });
  after(() => Promise.all([api.kill(), smtp.kill()]));

  const label = (name: string, ...labels: string[]) =>
    scene.lab.kubectl.run('label', '--overwrite', 'namespace', name, ...labels);
  const statusOf = async (kind: string, qa: string, name: string) =>
    (await scene.lab.kubectl.get(kind, qa, name)).status;
  const finalizersOf = async (qa: string) => {
    const found = await Promise.all(
      resources.map((one) => scene.lab.kubectl.get(one.split('/')[0] ?? '', qa, one.split('/')[1] ?? '')),
    );
    return found.flatMap(({ metadata }) => metadata.finalizers ?? []);
  };
  const left = async (qa: string) => {
    for (const one of resources) {
      const [kind = '', name = ''] = one.split('/');
      await conditionIs(scene.lab.kubectl, [kind, qa, name], { type: 'Ready', reason: 'NotWatched' });
    }
  };
  /** Creates a namespace with resources of each kind, and then its label. */
  const newTenant = async () => {
    const { lab } = scene;
    const qa = await lab.newNamespace();
    await lab.kubectl.apply(
      domain(qa, 'app', { domain: `${qa}.test`, mxVerified: true }),
      account(qa, 'qa', { address: `qa@${qa}.test` }),
      apiKey(qa, 'mail', {}),
      mailExpectation(qa, 'none', { within: '1h' }),
    );
    return qa;
  };
  const readerOf = async (qa: string) => {
    const { data } = await scene.lab.kubectl.get('secret', qa, 'mail');
    const httpPort = api.ports.http;
    const key = atob(data.SANDPOST_API_KEY);
    return new HttpClient({ baseUrl: `http://127.0.0.1:${httpPort}`, httpPort }, { 'x-api-key': key });
  };
  const mailsOf = async (qa: string) =>
    (await (await readerOf(qa)).get('/api/messages')).json.items.map(({ id }: Json) => id);

  test('are watched with the label, kept for a while without it, and whole with it again', async () => {
    const { lab } = scene;
    const [qa, prod, other] = [await newTenant(), await newTenant(), await newTenant()];
    await label(prod, 'sandpost=yes', 'tier=prod');
    await label(qa, 'sandpost=yes');
    await lab.kubectl.ready(qa, resources);
    const id = await deliverOne({ smtpPort: smtp.ports.smtp }, { to: `qa@${qa}.test` });
    assert.deepEqual(await mailsOf(qa), [id]);
    for (const name of [prod, other]) {
      assert.equal((await statusOf('domain', name, 'app')).observedGeneration, -1);
      assert.equal(await lab.tenant(name), 0);
    }
    const { accountId } = await statusOf('account', qa, 'qa');
    const metrics = await (await fetch(`http://127.0.0.1:${scene.operator.ports.ops}/metrics`)).text();
    assert.match(metrics, /^sandpost_operator_resources\{kind="Account",ready="True",reason="\w+"\} 1$/m);
    assert.match(metrics, new RegExp(`^sandpost_operator_tenant_bytes\\{tenant="${qa}"\\} [1-9]`, 'm'));
    assert.match(metrics, new RegExp(`^sandpost_operator_tenant_messages\\{tenant="${qa}"\\} 1$`, 'm'));
    assert.match(metrics, /^sandpost_operator_leader_changes_total 1$/m);

    await label(qa, 'tier=prod');
    await left(qa);
    assert.deepEqual(await finalizersOf(qa), [], 'nothing holds up the deletion of the namespace');
    const warning = async (): Promise<Json> =>
      (await lab.kubectl.list('events', qa)).find(({ reason }: Json) => reason === 'Orphaned');
    await until(async () => (await warning()) !== undefined, 60_000, 100);
    assert.match((await warning()).message, /without the labels sandpost=yes,tier!=prod/);
    assert.deepEqual(await mailsOf(qa), [id], 'until the grace period is over');

    await label(qa, 'tier-');
    await lab.kubectl.ready(qa, resources);
    assert.equal((await finalizersOf(qa)).length, resources.length);
    assert.equal((await statusOf('account', qa, 'qa')).accountId, accountId);
    assert.deepEqual(await mailsOf(qa), [id]);
    await until(async () => (await lab.store.rows.read('orphans', {})).length === 0);
  });

  test('lose what they made after the grace period, though the operator did not run when they lost the label', async () => {
    const { lab } = scene;
    const [gone, stays] = [await newTenant(), await newTenant()];
    for (const qa of [gone, stays]) await label(qa, 'sandpost=yes');
    for (const qa of [gone, stays]) await lab.kubectl.ready(qa, resources);
    const ids: Json = {};
    for (const qa of [gone, stays])
      ids[qa] = await deliverOne({ smtpPort: smtp.ports.smtp }, { to: `qa@${qa}.test` });
    const reader = await readerOf(gone);
    await scene.operator.kill();
    await label(gone, 'sandpost-');
    await scene.startAgain({ ...settings, SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
    await left(gone);
    await until(async () => (await reader.get('/api/messages')).status === 401);
    assert.equal(
      await lab.store.rows.read('domain', { team: await lab.tenant(gone), domain: `${gone}.test` }),
      null,
    );
    assert.deepEqual(await mailsOf(stays), [ids[stays]]);
    // Everything in it can be deleted.
    await lab.kubectl.run('delete', ...resources.slice(1), '-n', gone, '--timeout=60s');
    await label(gone, 'sandpost=yes');
    await lab.kubectl.ready(gone, ['domain/app']);
  });
});
