import assert from 'node:assert/strict';
import { before } from 'node:test';
import { clusterTest } from '#test/support/kubernetes/cluster-test.ts';
import { cluster, ensureRelease, runHelm } from '#test/support/kubernetes/release.ts';

before(() => ensureRelease());

clusterTest('helm test sends a mail and reads it, and leaves nothing', async () => {
  const said = await runHelm('test', 'sandpost', '--timeout', '240s');
  assert.match(said, /TEST SUITE: +sandpost-test-\w+\n.*\n.*\nPhase: +Succeeded/);
  const left = ['get', 'all,configmap', '-A', '-l', 'app.kubernetes.io/component=test', '-o', 'name'];
  assert.equal(await cluster.run(...left), '');
});
