import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import {
  account,
  apiKey,
  type Condition,
  domain,
  member,
} from '#test/support/kubernetes/custom-resources.ts';
import { plurals, readDefinition, specFields } from '#test/support/kubernetes/definitions.ts';
import { buildEarlier, noEarlierRelease, setAll } from '#test/support/kubernetes/earlier-release.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { cluster, forwardApi, isOwnCluster, release, runHelm } from '#test/support/kubernetes/release.ts';
import { keyOf } from '#test/support/kubernetes/tenant.ts';
import { until } from '#test/support/runner/until.ts';

const name = 'rollback';
const full = `${name}-sandpost`;
const end = '2037-06-30T00:00:00Z';
const values = {
  ...{ rateLimit: 1_000_000, api: { replicas: 1 }, smtp: { replicas: 1 } },
  ...{ mongodb: { bundled: { image: { tag: '6' } } }, redis: { bundled: { image: { tag: '7' } } } },
};
const definitions = plurals.map((plural) => `crd/${plural}.sandpost.dev`);
const keys = ['read', 'send', 'full'];

clusterTest(
  'a rollback to 0.1.0 and an upgrade again leave each key and each resource as it was',
  async (t) => {
    if (!isOwnCluster) return t.skip('an image is built here only for a cluster of the tests');
    const missing = await noEarlierRelease();
    if (missing !== null) return t.skip(missing);
    const folder = await buildEarlier();
    // Goes first, since the operator must release the resources before their namespace can end.
    t.after(async () => {
      await runHelm('uninstall', name, '--namespace', home, '--wait', '--timeout', '480s');
      await cluster.run('delete', '--ignore-not-found', '--timeout=120s', ...definitions);
    });
    const home = await newNamespace(t);
    const team = await newNamespace(t);
    const helm = (...args: string[]) => runHelm(...args, '--namespace', home, '--wait', '--timeout', '480s');
    const set = (tag: string) => setAll({ ...values, image: { repository: 'sandpost', tag } });
    // Definitions and operator belong to one release a cluster.
    await runHelm('uninstall', release.name, '--ignore-not-found', '--wait', '--timeout', '480s');
    await cluster.run('delete', '--ignore-not-found', '--timeout=120s', ...definitions);

    await helm('install', name, `${folder}/charts/sandpost`, ...set('before'));
    assert.ok(!specFields(await readDefinition(cluster, 'apikeys')).includes('scope'));
    await helm('upgrade', name, 'charts/sandpost', ...set('test'));
    const manifests = [
      domain(team, 'd', { domain: `${team}.test`, mxVerified: true, assumedClientIP: '203.0.113.7' }),
      account(team, 'a', { address: `qa@${team}.test`, capture: true, simulatesFailures: true }),
      apiKey(team, 'read', { scope: 'read', expiresAt: end }),
      apiKey(team, 'send', { scope: 'send' }),
      apiKey(team, 'full', {}),
      member(team, 'm', { group: 'devs', role: 'viewer' }),
    ];
    const names = ['domain/d', 'account/a', 'apikey/read', 'apikey/send', 'apikey/full', 'member/m'];
    const statusOf = async (resource: string): Promise<Json> => {
      const [kind = '', one = ''] = resource.split('/');
      return (await cluster.get(kind, team, one)).status;
    };
    const isCarriedOut = async (resource: string) => {
      const { applied, conditions } = await statusOf(resource);
      const ready = conditions.find(({ type }: Condition) => type === 'Ready');
      return applied !== undefined && ready.status === 'True';
    };
    await cluster.apply(...manifests);
    // The operator of 0.1.0 may lead until its pod is gone.
    for (const resource of names) await until(() => isCarriedOut(resource), 180_000, 500);
    const [read = '', send = '', fullKey = ''] = await Promise.all(keys.map((secret) => keyOf(team, secret)));

    const ask = async (path: string): Promise<Json> => {
      await using api = await forwardApi(home, `${full}-api`);
      const response = await fetch(`${api.url}${path}`, { headers: { 'x-api-key': fullKey } });
      assert.equal(response.status, 200, path);
      return response.json();
    };
    const stored = async () => {
      const { items: tokens } = await ask('/api/tokens');
      const { items: accounts } = await ask('/api/accounts');
      const { items: domains } = await ask('/api/domains');
      return {
        tokens: tokens.map(({ id, name, scope, expires_at }: Json) => [id, name, scope, expires_at]),
        accounts: accounts.map((one: Json) => [
          ...[one.id, one.is_active, one.is_capture, one.simulates_failures, one.storage_limit],
        ]),
        domains: domains.map(({ id, is_active, verification_source, assumed_client_ip }: Json) => [
          ...[id, is_active, verification_source, assumed_client_ip],
        ]),
      };
    };
    const complete = async (resource: string): Promise<Condition | undefined> =>
      (await statusOf(resource)).conditions.find(({ type }: Condition) => type === 'Complete');
    /** Puts the definition of 0.1.0 in place, as a deployer does that knows of no other. */
    const takeBackTo = (plural: string) => {
      const file = `${folder}/charts/sandpost/files/crds/${plural}.sandpost.dev.yaml`;
      const crd = `crd/${plural}.sandpost.dev`;
      return cluster.run('patch', crd, '--type=merge', '--patch-file', file);
    };
    const before = await stored();
    assert.deepEqual(before.accounts[0]?.slice(1, 4), [true, true, true]);
    const job = await ClusterJob.start(team, 'caller', 'call-with-keys.ts', {
      secret: 'full',
      env: { READ_KEY: read, SEND_KEY: send, FULL_KEY: fullKey },
    });
    await job.line('calling');

    await t.test('a rollback leaves the definitions, and what resources say', async () => {
      await helm('rollback', name, '1');
      await until(
        async () => specFields(await readDefinition(cluster, 'apikeys')).includes('scope'),
        60_000,
        500,
      );
      for (const plural of ['accounts', 'domains']) {
        const fields = specFields(await readDefinition(cluster, plural));
        assert.ok(fields.includes('simulatesFailures') || fields.includes('assumedClientIP'), plural);
      }
      assert.deepEqual((await cluster.get('apikey', team, 'read')).spec, { scope: 'read', expiresAt: end });
      assert.equal((await cluster.get('account', team, 'a')).spec.simulatesFailures, true);
    });

    await t.test('what definitions of 0.1.0 have removed stays as it is stored', async () => {
      const lost = Object.entries({
        ...{ 'domain/d': 'assumedClientIP', 'account/a': 'simulatesFailures' },
        ...{ 'apikey/read': 'scope', 'apikey/send': 'scope' },
      });
      const areLost = async () => {
        for (const [resource, field] of lost) {
          const [kind = '', one = ''] = resource.split('/');
          if ((await cluster.get(kind, team, one)).spec[field] !== undefined) return false;
        }
        return true;
      };
      // The newer operator may take some time to end. A write removes the fields for good, once the API server serves the
      // definitions: until then it writes what it was given.
      const isPruned = async () => {
        for (const plural of plurals) await takeBackTo(plural);
        if (!(await areLost())) return false;
        await cluster.run('annotate', '--overwrite', '-n', team, ...names, `touched=${Date.now()}`);
        return areLost();
      };
      await until(isPruned, 120_000, 1000);
      await helm('upgrade', name, 'charts/sandpost', ...set('test'), '--force-conflicts');
      const reasons = async () => {
        const found = lost.map(async ([resource]) => (await complete(resource))?.reason);
        return Promise.all(found);
      };
      const wanted = lost.map(() => 'FieldsKept');
      await until(async () => isDeepStrictEqual(await reasons(), wanted), 120_000, 500).catch(
        async (error) => {
          assert.deepEqual(await reasons(), wanted, String(error));
        },
      );
      assert.match(
        (await complete('apikey/read'))?.message ?? '',
        /spec\.scope \(read\) and spec\.expiresAt \(2037-/,
      );
      assert.deepEqual(await stored(), before);
    });

    await t.test('an operator on older definitions that it may not replace changes nothing', async () => {
      await cluster.apply(...manifests);
      for (const resource of names) await until(async () => !(await complete(resource)), 120_000, 500);
      await helm('upgrade', name, 'charts/sandpost', ...set('test'), '--set', 'crds.enabled=false');
      await takeBackTo('apikeys');
      for (const key of keys) {
        await until(
          async () => (await complete(`apikey/${key}`))?.reason === 'DefinitionOutdated',
          120_000,
          500,
        );
      }
      assert.match((await complete('apikey/read'))?.message ?? '', /lacks spec\.expiresAt and spec\.scope/);
      assert.deepEqual(await stored(), before);
      await helm('upgrade', name, 'charts/sandpost', ...set('test'), '--force-conflicts');
      await cluster.apply(...manifests);
      for (const resource of names) await until(async () => !(await complete(resource)), 120_000, 500);
      await cluster.ready(team, names, 180);
      assert.deepEqual(await stored(), before);
    });

    await job.interrupt();
    const { counts } = (await job.result()) as { counts: Record<string, number> };
    t.diagnostic(JSON.stringify(counts));
    assert.deepEqual(Object.keys(counts).sort(), [
      ...['full lists', 'full makes', 'read lists', 'read makes', 'send lists', 'send makes'],
    ]);
  },
);
