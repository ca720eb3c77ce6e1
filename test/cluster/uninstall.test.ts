import assert from 'node:assert/strict';
import { before } from 'node:test';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import {
  bootstrapUser,
  cluster,
  ensureRelease,
  forwardApi,
  installRelease,
  isOwnCluster,
  release,
  runHelm,
} from '#test/support/kubernetes/release.ts';
import { keyOf, newTenant } from '#test/support/kubernetes/tenant.ts';
import { until } from '#test/support/runner/until.ts';

before(() => ensureRelease());

clusterTest("what an uninstalled release leaves is enough to go on with, and in nobody's way", async (t) => {
  const namespace = await newNamespace(t);
  const leaver = await newNamespace(t);
  const { address, secret } = await newTenant(namespace);
  const { domain: domainOfLeaver } = await newTenant(leaver);
  const job = await ClusterJob.start(namespace, 'receive-code', 'receive-code.ts', {
    secret,
    env: { ADDRESS: address, SENDER: 'shop@sender.test' },
  });
  const { id } = await job.result();
  const user = await bootstrapUser();
  const key = await keyOf(namespace, secret);

  await runHelm('uninstall', release.name, '--wait', '--timeout', '480s');
  const kept = [
    'configmap/kube-root-ca.crt',
    'persistentvolumeclaim/data-sandpost-mongodb-0',
    ...(isOwnCluster ? ['secret/registry'] : []),
    'secret/sandpost-bootstrap',
    'secret/sandpost-mongodb',
    'secret/sandpost-redis',
    'serviceaccount/default',
  ];
  // Pods end slowly, and other owners' dependents are collected after them.
  await until(async () => (await leftovers()).length <= kept.length, 240_000, 1000).catch(() => {});
  assert.deepEqual(await leftovers(), kept);
  assert.deepEqual(await leftoversOfCluster(), [
    'customresourcedefinition/accounts.sandpost.dev',
    'customresourcedefinition/apikeys.sandpost.dev',
    'customresourcedefinition/domains.sandpost.dev',
    'customresourcedefinition/inboxes.sandpost.dev',
    'customresourcedefinition/mailexpectations.sandpost.dev',
    'customresourcedefinition/members.sandpost.dev',
  ]);
  assert.equal((await cluster.list('domains,accounts,apikeys,members', namespace)).length, 3);
  // The deletion must not wait for an operator to remove a finalizer, because none is running.
  await cluster.run('delete', 'namespace', leaver, '--timeout=300s');

  await installRelease('operator.orphanGracePeriod=5s');
  const ready = ['domain/shop', 'account/all', 'apikey/mail'];
  await cluster.ready(namespace, ready, 180);
  assert.deepEqual(await bootstrapUser(), user);
  assert.equal(await keyOf(namespace, secret), key);
  await using api = await forwardApi();
  const login = await post(
    `${api.url}/api/auth/login`,
    {},
    { email: 'admin@sandpost.test', password: user.password },
  );
  assert.equal(login, 200);
  const message = await fetch(`${api.url}/api/messages/${id}`, { headers: { 'x-api-key': key } });
  assert.partialDeepStrictEqual(await message.json(), { id, subject: 'Welcome' });
  // After the grace period, the next operator removes objects whose resources were deleted without an operator.
  const claim = { domain: domainOfLeaver };
  await until(
    async () => (await post(`${api.url}/api/domains`, { 'x-api-key': user.key }, claim)) === 200,
    240_000,
  );
});

async function post(url: string, headers: Record<string, string>, body: object): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Returns everything in the release's namespace except events, as `kind/name`, sorted. */
async function leftovers(): Promise<string[]> {
  const kinds = await cluster.run('api-resources', '--namespaced', '--verbs=list', '--output=name');
  const counted = kinds
    .trim()
    .split('\n')
    .filter((kind) => !/^events(\.|$)/.test(kind));
  return names('get', counted.join(','), '-n', release.namespace);
}

/** Returns cluster-wide objects with the release's name. Omits namespaces, volumes, and the definitions' API services. */
async function leftoversOfCluster(): Promise<string[]> {
  const kinds = await cluster.run('api-resources', '--namespaced=false', '--verbs=list', '--output=name');
  const counted = kinds
    .trim()
    .split('\n')
    .filter((kind) => !/^(namespaces|persistentvolumes|apiservices\..*)$/.test(kind));
  return (await names('get', counted.join(','))).filter((name) => name.includes('sandpost'));
}

/** Returns the names in kubectl's output, without their kinds' groups. */
async function names(...args: string[]): Promise<string[]> {
  const output = await cluster.run(...args, '--ignore-not-found', '--output=name');
  return output
    .split('\n')
    .filter(Boolean)
    .map((name) => name.replace(/^([a-z]+)[a-z0-9.-]*\//, '$1/'))
    .sort();
}
