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
import {
  bootstrapUser,
  cluster,
  forwardApi,
  isOwnCluster,
  mailPods,
  release,
  runHelm,
} from '#test/support/kubernetes/release.ts';
import { keyOf } from '#test/support/kubernetes/tenant.ts';
import { until } from '#test/support/runner/until.ts';

const name = 'before';
const full = `${name}-sandpost`;
const end = '2037-06-30T00:00:00Z';
const values = {
  rateLimit: 1_000_000,
  ...{ mongodb: { bundled: { image: { tag: '6' } } }, redis: { bundled: { image: { tag: '7' } } } },
};
const definitions = plurals.map((plural) => `crd/${plural}.sandpost.dev`);
/** Kinds in 0.1.0. */
const earlierPlurals = ['domains', 'accounts', 'apikeys', 'members'];
const keys = ['read', 'send', 'full'];

clusterTest(
  'mail goes on through an upgrade from 0.1.0 and back, and each key and each resource stays as it was',
  async (t) => {
    if (!isOwnCluster) return t.skip('an image is built here only for a cluster of the tests');
    const missing = await noEarlierRelease();
    if (missing !== null) return t.skip(missing);
    const folder = await buildEarlier();
    // Runs first, because the operator must release the resources before their namespace can end.
    t.after(async () => {
      await runHelm('uninstall', name, '--namespace', home, '--wait', '--timeout', '480s');
      await cluster.run('delete', '--ignore-not-found', '--timeout=120s', ...definitions);
    });
    const home = await newNamespace(t);
    const team = await newNamespace(t);
    const helm = (...args: string[]) => runHelm(...args, '--namespace', home, '--wait', '--timeout', '480s');
    const set = (tag: string) => setAll({ ...values, image: { repository: 'sandpost', tag } });
    // Definitions and operator belong to one release per cluster.
    await runHelm('uninstall', release.name, '--ignore-not-found', '--wait', '--timeout', '480s');
    await cluster.run('delete', '--ignore-not-found', '--timeout=120s', ...definitions);

    await helm('install', name, `${folder}/charts/sandpost`, ...set('before'));
    assert.ok(!specFields(await readDefinition(cluster, 'apikeys')).includes('scope'));
    const { key } = await bootstrapUser(home, `${full}-bootstrap`);
    const mailer = await startMailer(home, key);
    const old = await mailPods(home, full);
    await helm('upgrade', name, 'charts/sandpost', ...set('test'));
    const upgraded = await mailPods(home, full);
    assert.deepEqual(
      upgraded.filter((pod) => old.includes(pod)),
      [],
      'each pod is a new one',
    );
    assert.ok('main_link' in (await newestMail(home, key)), 'the new program answers');
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
    // The 0.1.0 operator may lead until its pod is gone.
    for (const resource of names) await until(() => isCarriedOut(resource), 180_000, 500);
    const [read = '', send = '', fullKey = ''] = await Promise.all(keys.map((secret) => keyOf(team, secret)));

    const ask = (path: string) => call(home, fullKey, 'GET', path);
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
    /** Installs the 0.1.0 definition, as a deployer without knowledge of other releases would. */
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
      assert.ok(!('main_link' in (await newestMail(home, key))), 'the program of before answers');
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
      // The newer operator may take some time to end. A write removes the fields permanently after the API server serves the definitions.
      // Until then it writes what it was given.
      const isPruned = async () => {
        for (const plural of earlierPlurals) await takeBackTo(plural);
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

    await t.test('no mail was lost meanwhile, and no connection refused', async () => {
      await mailer.interrupt();
      const { accepted, again, broken, attempts, asked, total, seconds, failures } = await mailer.result();
      t.diagnostic(
        `${attempts} mails, ${again} again (${broken} broken), and ${asked} requests in ${Math.round(Number(seconds))} s`,
      );
      assert.deepEqual(failures, []);
      assert.equal(accepted, attempts);
      const kept = Number(total) - Number(attempts);
      assert.ok(kept >= 0 && kept <= Number(broken), `${total} mails of ${attempts} are kept`);
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
      const { message = '' } = (await complete('apikey/read')) ?? {};
      assert.match(message, /lacks spec\.expiresAt and spec\.rotateAfter and spec\.scope/);
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

    await t.test('an upgrade that the store refuses replaces nothing', async () => {
      const running = await mailPods(home, full);
      await setVersion(home, 999);
      await assert.rejects(
        helm('upgrade', name, 'charts/sandpost', ...set('test'), '--set', 'retentionDays=80'),
        /pre-upgrade/,
      );
      const log = await cluster.run('logs', '-n', home, `job/${full}-check-upgrade`);
      assert.match(log, /the database is from a later version of Sandpost \(the store is at version 999, /);
      assert.deepEqual(await mailPods(home, full), running, 'no pod is replaced');
    });
  },
);

/** Calls the release's API in a namespace. */
async function call(
  namespace: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Json> {
  await using api = await forwardApi(namespace, `${full}-api`);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${api.url}${path}`, init);
  assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
  return response.json();
}

const newestMail = async (namespace: string, key: string): Promise<object> =>
  (await call(namespace, key, 'GET', '/api/messages?limit=1')).items[0];

/** Starts a Job that sends mail to an account of the installation's own user, until asked to end. */
async function startMailer(namespace: string, key: string): Promise<ClusterJob> {
  const address = 'qa@shop.test';
  await call(namespace, key, 'POST', '/api/domains', { domain: 'shop.test', mx_verified: true });
  await call(namespace, key, 'POST', '/api/accounts', { address });
  await cluster.apply(secretFor(namespace, key));
  const mailer = await ClusterJob.start(namespace, 'mailer', 'send-until-told.ts', {
    secret: 'mailer',
    // A 0.1.0 pod that stops answers 421 to an open dialogue, or breaks it, unless it is in DATA.
    env: { ADDRESS: address, SENDER: 'shop@sender.test', QUEUES: '1', PER_SECOND: '20' },
  });
  await mailer.line('sending');
  return mailer;
}

/** Secret for a Job, with an ApiKey's entries. */
const secretFor = (namespace: string, key: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: 'mailer' },
  stringData: {
    SANDPOST_URL: `http://${full}-api.${namespace}.svc`,
    SANDPOST_API_KEY: key,
    SANDPOST_SMTP_HOST: `${full}-smtp.${namespace}.svc`,
    SANDPOST_SMTP_PORT: '25',
  },
});

/** Writes the version of the oldest program that works with the store. */
async function setVersion(namespace: string, version: number): Promise<void> {
  const { data } = await cluster.get('secret', namespace, `${full}-mongodb`);
  const uri = Buffer.from(data['mongodb-uri'], 'base64').toString();
  const script = `db.meta.updateOne({_id: 'schema'}, {$set: {version: ${version}}})`;
  await cluster.run(
    'exec',
    '-n',
    namespace,
    `${full}-mongodb-0`,
    '--',
    'mongosh',
    '--quiet',
    uri,
    '--eval',
    script,
  );
}
