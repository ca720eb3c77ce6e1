import assert from 'node:assert/strict';
import { before } from 'node:test';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import {
  chart,
  cluster,
  ensureRelease,
  pullSecret,
  release,
  runHelm,
  setAll,
  valuesHere,
} from '#test/support/kubernetes/release.ts';

// The release installs the definitions, which belong to one release per cluster.
before(() => ensureRelease());

clusterTest('what helm template renders may be applied, twice', async (t) => {
  const namespace = await newNamespace(t);
  await cluster.run('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted');
  const only = { crds: { enabled: false }, operator: { watchNamespaces: [namespace] } };
  const values = setAll({ ...valuesHere, ...only });
  const apply = async () => {
    const yaml = await runHelm('template', release.name, ...chart, '--namespace', namespace, ...values);
    const { code, stderr } = await cluster.try(['apply', '-f', '-'], yaml);
    assert.equal(code, 0, stderr);
  };
  const settled = async () => {
    const wait = ['wait', '-n', namespace, '--all', '--timeout=240s'];
    await cluster.run(...wait, '--for=condition=Available', 'deployment');
    await cluster.run(...wait, '--for=condition=Complete', 'job');
  };
  const list = async (kind: string, field: 'data' | 'generation') => {
    const found = await cluster.list(kind, namespace);
    return found
      .filter(({ metadata }) => metadata.name !== pullSecret)
      .map(({ metadata, data }) => [metadata.name, field === 'data' ? data : metadata.generation]);
  };

  await apply();
  await settled();
  const logs = ['logs', '-n', namespace, '--tail=-1', '-l'];
  assert.match(
    await cluster.run(...logs, 'app.kubernetes.io/component=test'),
    /sent an email to .* and read it/,
  );
  const uninstall = await cluster.run(...logs, 'app.kubernetes.io/component=uninstall');
  assert.match(uninstall, /not a Helm release: nothing to do/);
  const secrets = await list('secrets', 'data');
  const deployments = await list('deployments,statefulsets', 'generation');
  assert.equal(secrets.length, 3);

  await apply();
  await settled();
  assert.deepEqual(await list('secrets', 'data'), secrets);
  assert.deepEqual(await list('deployments,statefulsets', 'generation'), deployments, 'no pod is replaced');
});
