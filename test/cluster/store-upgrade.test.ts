import assert from 'node:assert/strict';
import type { Json } from '#test/support/clients/http.ts';
import { ClusterJob } from '#test/support/kubernetes/cluster-job.ts';
import { clusterTest, newNamespace } from '#test/support/kubernetes/cluster-test.ts';
import { buildEarlier, noEarlierRelease, setAll } from '#test/support/kubernetes/earlier-release.ts';
import {
  bootstrapUser,
  cluster,
  forwardApi,
  isOwnCluster,
  runHelm,
} from '#test/support/kubernetes/release.ts';

const name = 'before';
const full = `${name}-sandpost`;

/** Values of both charts. The operator belongs to the whole cluster, and another release has it. */
const values = {
  ...{ operator: { enabled: false }, crds: { enabled: false }, rateLimit: 1_000_000 },
  ...{ mongodb: { bundled: { image: { tag: '6' } } }, redis: { bundled: { image: { tag: '7' } } } },
};

clusterTest(
  'mail goes on through an upgrade of the store and back, and a refused one replaces nothing',
  async (t) => {
    if (!isOwnCluster) return t.skip('an image is built here only for a cluster of the tests');
    const missing = await noEarlierRelease();
    if (missing !== null) return t.skip(missing);
    const namespace = await newNamespace(t);
    const folder = await buildEarlier();
    const helm = (...args: string[]) =>
      runHelm(...args, '--namespace', namespace, '--wait', '--timeout', '480s');
    const set = (tag: string) => setAll({ ...values, image: { repository: 'sandpost', tag } });
    const upgrade = () => helm('upgrade', name, 'charts/sandpost', ...set('test'));

    await helm('install', name, `${folder}/charts/sandpost`, ...set('before'));
    const { key } = await bootstrapUser(namespace, `${full}-bootstrap`);
    const address = 'qa@shop.test';
    const newest = async (): Promise<object> => (await call('GET', '/api/messages?limit=1')).items[0];
    const call = async (method: string, to: string, body?: object) => {
      await using api = await forwardApi(namespace, `${full}-api`);
      const headers = { 'x-api-key': key, 'content-type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${api.url}${to}`, init);
      assert.equal(response.status, 200, await response.clone().text());
      const answer: Json = await response.json();
      return answer;
    };
    await call('POST', '/api/domains', { domain: 'shop.test', mx_verified: true });
    await call('POST', '/api/accounts', { address });
    await cluster.apply(secretFor(namespace, key));
    const job = await ClusterJob.start(namespace, 'mailer', 'send-until-told.ts', {
      secret: 'mailer',
      env: { ADDRESS: address, SENDER: 'shop@sender.test' },
    });
    await job.line('sending');

    const old = await podsOf(namespace);
    await upgrade();
    const upgraded = await podsOf(namespace);
    assert.deepEqual(
      upgraded.filter((pod) => old.includes(pod)),
      [],
      'each pod is a new one',
    );
    assert.ok('main_link' in (await newest()), 'the new program answers');
    await helm('rollback', name, '1');
    assert.ok(!('main_link' in (await newest())), 'the program of before answers');
    await upgrade();
    await job.interrupt();

    const { accepted, attempts, asked, total, seconds, failures } = await job.result();
    t.diagnostic(`${attempts} mails and ${asked} requests in ${Math.round(Number(seconds))} s`);
    assert.deepEqual(failures, []);
    assert.deepEqual([accepted, total], [attempts, attempts]);

    const running = await podsOf(namespace);
    await setVersion(namespace, 999);
    await assert.rejects(
      helm('upgrade', name, 'charts/sandpost', ...set('test'), '--set', 'retentionDays=80'),
      /pre-upgrade/,
    );
    const log = await cluster.run('logs', '-n', namespace, `job/${full}-check-upgrade`);
    assert.match(log, /the database was written by a newer version of Sandpost \(it has version 999, /);
    assert.deepEqual(await podsOf(namespace), running, 'no pod is replaced');
  },
);

/** Secret for a Job, as an ApiKey has one. */
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

/** Returns the pods of API and SMTP that are not terminating. */
async function podsOf(namespace: string): Promise<string[]> {
  const pods = await cluster.list('pods', namespace);
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .filter((pod: string) => /-sandpost-(api|smtp)-/.test(pod))
    .sort();
}
