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
import { buildEarlier, noEarlierRelease } from '#test/support/kubernetes/earlier-release.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { asking, pictureOf } from '#test/support/kubernetes/picture.ts';
import {
  bootstrapUser,
  chart,
  cluster,
  isOwnCluster,
  mailPods,
  release,
  runHelm,
  setAll,
  valuesHere,
} from '#test/support/kubernetes/release.ts';
import { keyOf } from '#test/support/kubernetes/tenant.ts';
import { until } from '#test/support/runner/until.ts';

const name = 'before';
const full = `${name}-sandpost`;
const end = '2037-06-30T00:00:00Z';
const values = setAll({ ...valuesHere, rateLimit: 1_000_000 });
const earlierImage = setAll({ image: { repository: 'sandpost', tag: 'before' } });
const definitions = plurals.map((plural) => `crd/${plural}.sandpost.dev`);
/** Kinds in 0.2.0. */
const earlierPlurals = ['domains', 'accounts', 'apikeys', 'members'];
const keys = ['read', 'send', 'full'];
const names = ['domain/d', 'account/a', 'apikey/read', 'apikey/send', 'apikey/full', 'member/m'];
/** Resources of a team, with these fields in its Domain and Account. */
const manifestsOf = (team: string, ofDomain: object = {}, ofAccount: object = {}) => [
  domain(team, 'd', { domain: `${team}.test`, mxVerified: true, ...ofDomain }),
  account(team, 'a', { address: `qa@${team}.test`, capture: true, ...ofAccount }),
  apiKey(team, 'read', { scope: 'read', expiresAt: end }),
  apiKey(team, 'send', { scope: 'send' }),
  apiKey(team, 'full', {}),
  member(team, 'm', { group: 'devs', role: 'viewer' }),
];
/** Fields that are not in 0.2.0. */
const added = { 'domain/d': 'assumedClientIP', 'account/a': 'simulatesFailures' };

clusterTest(
  'mail goes on through an upgrade from 0.2.0 and back, and each mail, key and resource stays as it was',
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
    // Definitions and operator belong to one release per cluster.
    await runHelm('uninstall', release.name, '--ignore-not-found', '--wait', '--timeout', '480s');
    await cluster.run('delete', '--ignore-not-found', '--timeout=120s', ...definitions);

    await helm('install', name, `${folder}/charts/sandpost`, ...values, ...earlierImage);
    await cluster.apply(...manifestsOf(team));
    await cluster.ready(team, names, 180);
    const keysOf = () => Promise.all(keys.map((secret) => keyOf(team, secret)));
    const inSecrets = await keysOf();
    const service = { namespace: home, service: `${full}-api` };
    const [read = '', send = '', fullKey = ''] = inSecrets;
    await asking({ ...service, key: fullKey }, async (call) => {
      const [{ id }] = (await call('/api/accounts')).items;
      const mail = { subject: 'Welcome', text: 'Your code is 493817. https://shop.test/verify?token=7' };
      await call(`/api/accounts/${id}/messages/send`, { ...mail, to: [`qa@${team}.test`] });
    });
    const picture = () => asking({ ...service, key: fullKey }, pictureOf);
    const first = await picture();
    assert.equal(first.mails.length, 1);
    const { key } = await bootstrapUser(home, `${full}-bootstrap`);
    const mailer = await startMailer(home, key);
    const job = await ClusterJob.start(team, 'caller', 'call-with-keys.ts', {
      secret: 'full',
      env: { READ_KEY: read, SEND_KEY: send, FULL_KEY: fullKey },
    });
    await job.line('calling');

    const statusOf = async (resource: string): Promise<Json> => (await got(team, resource)).status;
    const complete = async (resource: string): Promise<Condition | undefined> =>
      (await statusOf(resource)).conditions.find(({ type }: Condition) => type === 'Complete');
    /** True if an operator of this release has applied the resource as it is. */
    const isCarriedOut = async (resource: string) => {
      const { metadata, status } = await got(team, resource);
      const ready = status.conditions.find(({ type }: Condition) => type === 'Ready');
      return status.applied?.generation === metadata.generation && ready.status === 'True';
    };
    const areCarriedOut = async () => {
      // The 0.2.0 operator may lead until its pod is gone.
      for (const resource of names) await until(() => isCarriedOut(resource), 180_000, 500);
    };
    /** Checks that everything from before the upgrade still exists, as `exactly` or with fields that 0.2.0 lacks. */
    const isAsBefore = async (check: (found: object, wanted: object) => void) => {
      check(await picture(), first);
      assert.deepEqual(await keysOf(), inSecrets);
    };

    await t.test('an upgrade replaces each pod, and keeps mail, keys and resources', async () => {
      const old = await mailPods(home, full);
      await helm('upgrade', name, ...chart, ...values);
      const upgraded = await mailPods(home, full);
      const left = upgraded.filter((pod) => old.includes(pod));
      assert.deepEqual(left, [], 'each pod is a new one');
      await areCarriedOut();
      await isAsBefore((found, wanted) => assert.partialDeepStrictEqual(found, wanted));
      for (const resource of names) assert.equal(await complete(resource), undefined, resource);
    });

    const manifests = manifestsOf(team, { assumedClientIP: '203.0.113.7' }, { simulatesFailures: true });
    await cluster.apply(...manifests);
    await areCarriedOut();
    const before = await picture();
    assert.partialDeepStrictEqual(before, {
      accounts: [{ simulates_failures: true }],
      domains: [{ assumed_client_ip: '203.0.113.7' }],
    });
    /** Installs the 0.2.0 definition, as a deployer without knowledge of other releases would. */
    const takeBackTo = (plural: string) => {
      const file = `${folder}/charts/sandpost/files/crds/${plural}.sandpost.dev.yaml`;
      const crd = `crd/${plural}.sandpost.dev`;
      return cluster.run('patch', crd, '--type=merge', '--patch-file', file);
    };

    await t.test('a rollback leaves the definitions, and what resources say', async () => {
      await helm('rollback', name, '1');
      await isAsBefore((found, wanted) => assert.deepEqual(found, wanted));
      for (const plural of ['accounts', 'domains']) {
        const isForward = async () => {
          const fields = specFields(await readDefinition(cluster, plural));
          return Object.values(added).some((field) => fields.includes(field));
        };
        await until(isForward, 60_000, 500);
      }
      for (const manifest of manifests) {
        const resource = `${manifest.kind.toLowerCase()}/${manifest.metadata.name}`;
        assert.partialDeepStrictEqual((await got(team, resource)).spec, manifest.spec);
      }
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

    await t.test('what definitions of 0.2.0 have removed stays as it is stored', async () => {
      const lost = Object.entries(added);
      const areLost = async () => {
        for (const [resource, field] of lost)
          if ((await got(team, resource)).spec[field] !== undefined) return false;
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
      await helm('upgrade', name, ...chart, ...values, '--force-conflicts');
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
      assert.match((await complete('domain/d'))?.message ?? '', /spec\.assumedClientIP \(203\.0\.113\.7\)/);
      assert.deepEqual(await picture(), before);
      assert.deepEqual(await keysOf(), inSecrets);
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
        helm('upgrade', name, ...chart, ...values, '--set', 'retentionDays=80'),
        /pre-upgrade/,
      );
      const log = await cluster.run('logs', '-n', home, `job/${full}-check-upgrade`);
      assert.match(log, /the database is from a later version of Sandpost \(the store is at version 999, /);
      assert.deepEqual(await mailPods(home, full), running, 'no pod is replaced');
    });
  },
);

/** Reads a resource, such as `domain/d`. */
function got(team: string, resource: string): Promise<Json> {
  const [kind = '', one = ''] = resource.split('/');
  return cluster.get(kind, team, one);
}

/** Starts a Job that sends mail to an account of the installation's own user, until asked to end. */
async function startMailer(namespace: string, key: string): Promise<ClusterJob> {
  const address = 'qa@shop.test';
  await asking({ namespace, service: `${full}-api`, key }, async (call) => {
    await call('/api/domains', { domain: 'shop.test', mx_verified: true });
    await call('/api/accounts', { address });
  });
  await cluster.apply(secretFor(namespace, key));
  const mailer = await ClusterJob.start(namespace, 'mailer', 'send-until-told.ts', {
    secret: 'mailer',
    // A stopping 0.2.0 pod may answer 421 to a dialogue that is not in DATA yet, or break it.
    env: { ADDRESS: address, SENDER: 'shop@sender.test', QUEUES: '1' },
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
