import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import {
  chart,
  cluster,
  ensureRelease,
  isOwnCluster,
  release,
  runHelm,
  setAll,
  valuesHere,
} from '#test/support/kubernetes/release.ts';
import { until } from '#test/support/runner/until.ts';

before(() => ensureRelease());

// Side by side, because they wait for pods.
describe('helm test', { concurrency: true }, () => {
  clusterTest('helm test sends a mail and reads it, and leaves nothing', async () => {
    const said = await runHelm('test', 'sandpost', '--timeout', '240s');
    assert.match(said, /TEST SUITE: +sandpost-test-\w+\n.*\n.*\nPhase: +Succeeded/);
    const left = ['get', 'all,configmap', '-n', release.namespace, '-o', 'name', '-l'];
    assert.equal(await cluster.run(...left, 'app.kubernetes.io/component=test'), '');
  });

  clusterTest(
    'a release from a registry, with the embedded store, passes helm test before and after the loss of its pod',
    async (t) => {
      const namespace = await newNamespace(t);
      const values = setAll({
        ...valuesHere,
        // Without a digest, the version's image.
        ...(isOwnCluster && { image: {} }),
        ...{ store: 'embedded', embedded: { storage: '1Gi' }, crds: { enabled: false } },
        // The other release's operator watches all namespaces. None of them contains a resource here.
        operator: { watchNamespaces: [namespace] },
      });
      const here = ['--namespace', namespace, '--timeout', '240s'];
      await runHelm('install', 'small', ...chart, '--wait', ...here, ...values);
      const pod = await cluster.get('pod', namespace, 'small-sandpost-all-0');
      const [{ imageID }] = pod.status.containerStatuses;
      if (isOwnCluster) assert.equal(imageID, process.env.SANDPOST_TEST_IMAGE);
      assert.match(await runHelm('test', 'small', ...here), /\nPhase: +Succeeded/);
      await cluster.run('delete', 'pod', 'small-sandpost-all-0', '-n', namespace, '--timeout=120s');
      const set = 'statefulset/small-sandpost-all';
      await cluster.run('rollout', 'status', set, '-n', namespace, '--timeout=180s');
      assert.match(await runHelm('test', 'small', ...here), /\nPhase: +Succeeded/);
      const leads = async () => {
        const { spec } = await cluster.get('lease', namespace, 'small-sandpost-operator');
        return spec.holderIdentity === 'small-sandpost-all-0';
      };
      await until(leads, 60_000, 500);
      await runHelm('uninstall', 'small', '--wait', ...here);
      assert.deepEqual(await cluster.list('pods', namespace), []);
      const claims = await cluster.list('persistentvolumeclaims', namespace);
      assert.deepEqual(
        claims.map(({ metadata }) => metadata.name),
        ['data-small-sandpost-all-0'],
      );
    },
  );
});
