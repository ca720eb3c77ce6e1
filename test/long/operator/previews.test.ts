import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { domain, inbox } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';

const settings = { SANDPOST_PREVIEW_SELECTOR: 'preview=yes,tier!=prod', SANDPOST_PREVIEW_DOMAIN: 'pr.test' };
const apiGroup = 'rbac.authorization.k8s.io';
/** Rights that the chart adds with `operator.previews`. */
const rights = [
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'operator-previews' },
    rules: [
      { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
      { apiGroups: ['sandpost.dev'], resources: ['domains', 'inboxes'], verbs: ['create'] },
    ],
  },
  {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'operator-previews' },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'operator-previews' },
    subjects: [{ kind: 'User', name: 'operator', apiGroup }],
  },
];

suite('namespaces with a label', { skip: noKubernetes }, () => {
  const scene = operatorScene(settings);
  let api: Process;
  let smtp: Process;
  before(async () => {
    await scene.lab.kubectl.apply(...rights);
    [api, smtp] = await Promise.all([
      startProcess('api', scene.lab.settings),
      startProcess('smtp', scene.lab.settings),
    ]);
  });
  after(() => Promise.all([api.kill(), smtp.kill()]));

  const label = (name: string, ...labels: string[]) =>
    scene.lab.kubectl.run('label', '--overwrite', 'namespace', name, ...labels);
  const ready = (name: string, reason = 'Active', of = 'sandpost-inbox') =>
    conditionIs(scene.lab.kubectl, ['inbox', name, of], { type: 'Ready', reason });
  const entryOf = async (qa: string, entry: string) =>
    atob((await scene.lab.kubectl.get('secret', qa, 'sandpost-inbox')).data[entry]);
  const readerOf = async (qa: string) => {
    const httpPort = api.ports.http;
    const key = await entryOf(qa, 'SANDPOST_API_KEY');
    return new HttpClient({ baseUrl: `http://127.0.0.1:${httpPort}`, httpPort }, { 'x-api-key': key });
  };
  const has = async (qa: string) => (await scene.lab.kubectl.get('inbox', qa, 'sandpost-inbox')) !== null;

  test('have an inbox each without a manifest, and read no mail of each other', async () => {
    const { lab } = scene;
    const names = [await lab.newNamespace(), await lab.newNamespace()];
    const prod = await lab.newNamespace();
    await label(prod, 'preview=yes', 'tier=prod');
    for (const name of names) await label(name, 'preview=yes');
    for (const name of names) {
      const { status } = await ready(name);
      assert.match(status.address, new RegExp(`^inbox-[0-9a-f]{24}@${name}\\.pr\\.test$`));
      assert.equal(await entryOf(name, 'SANDPOST_ADDRESS'), status.address);
      const id = await deliverOne({ smtpPort: smtp.ports.smtp }, { to: status.address });
      const { items } = (await (await readerOf(name)).get('/api/messages')).json;
      const ids = items.map((item: Json) => item.id);
      assert.deepEqual(ids, [id]);
      const other = names.find((one) => one !== name) ?? '';
      await ready(other);
      assert.equal((await (await readerOf(other)).get(`/api/messages/${id}`)).status, 404);
    }
    assert.equal(new Set(await Promise.all(names.map(lab.tenant))).size, 2, 'a team each');
    assert.equal(await has(prod), false);
  });

  test('open no mail that was there by it, and cannot be forestalled', async () => {
    const { lab } = scene;
    const [victim, thief] = [await lab.newNamespace(), await lab.newNamespace()];
    // The victim has mail in a separate domain.
    await lab.kubectl.apply(
      domain(victim, 'd', { domain: `${victim}.test` }),
      inbox(victim, 'own', { domain: 'd' }),
    );
    const { status } = await ready(victim, 'Active', 'own');
    const id = await deliverOne({ smtpPort: smtp.ports.smtp }, { to: status.address });
    await label(victim, 'preview=yes');
    await ready(victim);
    // Labeling a namespace creates a key to an empty account in that namespace.
    const labelled = await readerOf(victim);
    assert.deepEqual((await labelled.get('/api/messages')).json.items, []);
    assert.equal((await labelled.get(`/api/messages/${id}`)).status, 404);
    assert.equal((await labelled.get('/api/tokens')).status, 403);

    // Taking another namespace's domain before that namespace is labeled denies it an inbox, but grants no access to mail.
    const next = await lab.newNamespace();
    await lab.kubectl.apply(domain(thief, 'd', { domain: `${next}.pr.test` }));
    await lab.kubectl.ready(thief, ['domain/d']);
    await label(next, 'preview=yes');
    await ready(next, 'DomainMissing');
    assert.equal(await lab.kubectl.get('secret', next, 'sandpost-inbox'), null);
    await lab.kubectl.run('delete', 'domain/d', '-n', thief, '--timeout=60s');
    await ready(next);

    // The namespace's Secret stays unchanged.
    const foreign = await lab.newNamespace();
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: foreign, name: 'sandpost-inbox' },
    };
    await lab.kubectl.apply({ ...secret, stringData: { SANDPOST_API_KEY: 'mine' } });
    await label(foreign, 'preview=yes');
    await ready(foreign, 'SecretExists');
    assert.equal(await entryOf(foreign, 'SANDPOST_API_KEY'), 'mine');
  });

  test('keep what they have without the label, and get it from the next operator', async () => {
    const { lab } = scene;
    const [old, late] = [await lab.newNamespace(), await lab.newNamespace()];
    await lab.kubectl.apply(domain(old, 'sandpost-inbox', { domain: `mine.${old}.test` }));
    await label(old, 'preview=yes');
    await until(() => has(old), 60_000, 100);
    const kept = await lab.kubectl.get('domain', old, 'sandpost-inbox');
    assert.equal(kept.spec.domain, `mine.${old}.test`, 'a Domain of the namespace stays');
    await scene.operator.kill();
    await label(old, 'preview-');
    await label(late, 'preview=yes');
    await scene.startAgain(settings);
    const { metadata } = await ready(late);
    assert.equal(metadata.labels['app.kubernetes.io/managed-by'], 'sandpost');
    assert.ok(await has(old));
    await lab.kubectl.run('delete', 'namespace', late, '--wait=false');
    await lab.kubectl.run('delete', 'inbox/sandpost-inbox', '-n', late, '--timeout=60s');
    await label(late, 'again=yes');
    const next = await lab.newNamespace();
    await label(next, 'preview=yes');
    await ready(next);
    assert.equal(await has(late), false, 'none in a namespace that is being deleted');
  });
});
