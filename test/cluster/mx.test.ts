import assert from 'node:assert/strict';
import { before, describe } from 'node:test';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { domain } from '#test/support/kubernetes/custom-resources.ts';
import { cluster, ensureRelease, isOwnCluster, release } from '#test/support/kubernetes/release.ts';
import { removeZone, setZone } from '#test/support/kubernetes/zone.ts';
import { until } from '#test/support/runner/until.ts';

before(() => ensureRelease());

// Side by side, because they wait for the cluster's DNS.
describe('the MX of a Domain', { concurrency: true }, () => {
  if (!isOwnCluster) return;
  clusterTest('kubectl wait follows the MX as DNS gives it, takes it and gives it again', async (t) => {
    const namespace = await newNamespace(t);
    const name = `${namespace}.test`;
    await cluster.apply(domain(namespace, 'shop', { domain: name }));
    await verified(namespace, 'False');

    await setZone(name, `@ MX 10 ${release.mxHost}.`);
    await verified(namespace, 'True');
    assert.equal((await status(namespace)).verificationStatus, 'verified');
    assert.deepEqual((await status(namespace)).mxRecords, [release.mxHost]);

    await setZone(name, '@ MX 10 elsewhere.test.');
    await verified(namespace, 'False');
    await setZone(name, `@ MX 10 ${release.mxHost}.`);
    await verified(namespace, 'True');

    await removeZone(name);
    await verified(namespace, 'False');
    assert.equal((await status(namespace)).verificationStatus, 'failed');
  });

  clusterTest('DNS servers that fail change no verdict', async (t) => {
    const namespace = await newNamespace(t);
    // The cluster's DNS answers SERVFAIL for a domain without a zone.
    const name = `${namespace}.broken.test`;
    await cluster.apply(domain(namespace, 'shop', { domain: name }));
    await checkedTimes(namespace, 4);
    assert.equal((await status(namespace)).verificationStatus, 'pending');

    await setZone(name, `@ MX 10 ${release.mxHost}.`);
    await verified(namespace, 'True');
    await removeZone(name);
    await checkedTimes(namespace, 4);
    assert.equal((await status(namespace)).verificationStatus, 'verified');
    await verified(namespace, 'True');
  });
});

/** Runs `kubectl wait`, as a pipeline would. */
const verified = (namespace: string, value: 'True' | 'False') =>
  cluster.run('wait', '-n', namespace, 'domain/shop', `--for=condition=Verified=${value}`, '--timeout=180s');

const status = async (namespace: string) => (await cluster.get('domain', namespace, 'shop'))?.status ?? {};

/** Waits for a number of further MX checks of the Domain. */
async function checkedTimes(namespace: string, times: number): Promise<void> {
  const seen = new Set<string>([(await status(namespace)).lastCheckTime]);
  await until(async () => seen.add((await status(namespace)).lastCheckTime).size > times, 240_000, 500);
}
