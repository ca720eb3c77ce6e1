import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiServer, startApiServer } from '#test/support/kubernetes/api-server.ts';
import { noHelm, render } from '#test/support/kubernetes/helm.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { parse } from '#test/support/kubernetes/manifests.ts';
import { runScriptJob } from '#test/support/kubernetes/script-job.ts';
import { until } from '#test/support/runner/until.ts';

describe('the Job that runs before an uninstallation', { skip: noHelm }, () => {
  let server: ApiServer;
  before(async () => {
    server = await startApiServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const isOf = (component: string) => (item: Json) =>
    item.metadata.labels?.['app.kubernetes.io/component'] === component;
  const finalizersOf = async (namespace: string, kind: string) =>
    (await server.kubectl.list(kind, namespace)).map(({ metadata }) => metadata.finalizers ?? []);

  /** Installs an operator's Deployment, a resource with the operator's and another finalizer, and the Job's rights. */
  async function prepare(namespace: string, annotations: object, ...args: string[]): Promise<Json[]> {
    const manifests = parse(await render(namespace, ...args));
    await server.kubectl.run('create', 'namespace', namespace);
    const rights = manifests.filter((item) => isOf('uninstall')(item) && item.kind !== 'Job');
    const operator = manifests.find(
      (item) =>
        (isOf('operator')(item) && item.kind === 'Deployment') ||
        (isOf('all')(item) && item.kind === 'StatefulSet'),
    );
    await server.kubectl.apply(...rights, { ...operator, metadata: { ...operator.metadata, annotations } });
    await domain(namespace);
    return manifests;
  }
  const domain = (namespace: string) =>
    server.kubectl.apply({
      apiVersion: 'sandpost.dev/v1alpha1',
      kind: 'Domain',
      metadata: { name: 'app', namespace, finalizers: ['sandpost.dev/finalizer', 'example.com/other'] },
      spec: { domain: `${namespace}.test` },
    });
  const byHelm = { 'meta.helm.sh/release-name': 'sandpost' };
  const replicas = async (namespace: string) =>
    (await server.kubectl.get('deployment', namespace, 'sandpost-operator')).spec.replicas;

  test('stops the operator, waits for its pods, and takes its finalizer off in every namespace', async () => {
    const manifests = await prepare('release', byHelm);
    await server.kubectl.run('create', 'namespace', 'elsewhere');
    await domain('elsewhere');
    const pod = { ...manifests.find(isOf('operator')).metadata, name: 'operator-pod' };
    const container = { name: 'operator', image: 'none:0' };
    await server.kubectl.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: pod,
      spec: { containers: [container] },
    });
    const ofDefinitions = manifests.filter(({ metadata }) => metadata.name.endsWith('-operator-definitions'));
    assert.equal(ofDefinitions.length, 2);
    await server.kubectl.apply(...ofDefinitions);
    const lease = { name: 'sandpost-operator', namespace: 'release' };
    await server.kubectl.apply({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: lease });
    const run = runScriptJob(server, manifests, 'uninstall');
    await until(async () => (await replicas('release')) === 0);
    assert.deepEqual(await finalizersOf('release', 'domains'), [
      ['sandpost.dev/finalizer', 'example.com/other'],
    ]);
    await server.kubectl.run('delete', 'pod', 'operator-pod', '-n', 'release', '--force');
    const { code, stderr } = await run;
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.deepEqual(await finalizersOf('release', 'domains'), [['example.com/other']]);
    assert.deepEqual(await finalizersOf('elsewhere', 'domains'), [['example.com/other']]);
    assert.equal(await server.kubectl.get('lease', 'release', 'sandpost-operator'), null);
    for (const { kind, metadata } of ofDefinitions)
      assert.equal(await server.kubectl.get(kind, 'release', metadata.name), null, kind);
  });

  test('stops the pod that has all, where the store is embedded', async () => {
    const manifests = await prepare('embedded', byHelm, '--set', 'store=embedded');
    const { code, stderr } = await runScriptJob(server, manifests, 'uninstall');
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.equal((await server.kubectl.get('statefulset', 'embedded', 'sandpost-all')).spec.replicas, 0);
    assert.deepEqual(await finalizersOf('embedded', 'domains'), [['example.com/other']]);
  });

  test('applied without Helm, it does nothing', async () => {
    const manifests = await prepare('applied', {});
    const { code, stdout } = await runScriptJob(server, manifests, 'uninstall');
    assert.equal(code, 0);
    assert.match(stdout, /not a Helm release: nothing to do/);
    assert.equal(await replicas('applied'), 1);
    assert.deepEqual(await finalizersOf('applied', 'domains'), [
      ['sandpost.dev/finalizer', 'example.com/other'],
    ]);
  });

  test('a watched namespace that is gone does not stop it, and none of its hooks is in one', async () => {
    await server.kubectl.run('create', 'namespace', 'team-d');
    await domain('team-d');
    const values = ['--set', 'operator.watchNamespaces={gone,team-d}'];
    const rendered = parse(await render('left', ...values));
    const hooks = rendered.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
    const unexpected = hooks.filter(({ metadata }) => metadata.namespace !== 'left');
    assert.deepEqual(unexpected, []);
    await server.kubectl.run('create', 'namespace', 'left');
    const there = rendered.filter(
      (item) =>
        (isOf('uninstall')(item) && item.kind !== 'Job' && item.metadata.namespace !== 'gone') ||
        (isOf('operator')(item) && item.kind === 'Deployment'),
    );
    const annotated = (item: Json) => ({ ...item, metadata: { ...item.metadata, annotations: byHelm } });
    await server.kubectl.apply(...there.map((item) => (item.kind === 'Deployment' ? annotated(item) : item)));
    const { code, stdout, stderr } = await runScriptJob(server, rendered, 'uninstall');
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /domains in gone: no permission, because the namespace or its Role no longer exists/,
    );
    assert.deepEqual(await finalizersOf('team-d', 'domains'), [['example.com/other']]);
  });

  test('named namespaces: it has rights there, and reads no others', async () => {
    for (const name of ['team-a', 'team-b', 'team-c']) await server.kubectl.run('create', 'namespace', name);
    await Promise.all(['team-a', 'team-c'].map(domain));
    const values = ['--set', 'operator.watchNamespaces={team-a,team-b}'];
    const rendered = parse(await render('named', ...values));
    await server.kubectl.apply(
      ...rendered.filter(
        (item) => isOf('uninstall')(item) && ['team-a', 'team-b'].includes(item.metadata.namespace),
      ),
    );
    assert.deepEqual(
      rendered.filter(({ kind }) => kind.startsWith('ClusterRole')),
      [],
    );
    const { code, stderr } = await runScriptJob(
      server,
      await prepare('named', byHelm, ...values),
      'uninstall',
    );
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.deepEqual(await finalizersOf('team-a', 'domains'), [['example.com/other']]);
    assert.deepEqual(await finalizersOf('team-c', 'domains'), [
      ['sandpost.dev/finalizer', 'example.com/other'],
    ]);
  });
});
