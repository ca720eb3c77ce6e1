import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type ApiServer, startApiServer } from '#test/support/kubernetes/api-server.ts';
import { noHelm, render } from '#test/support/kubernetes/helm.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { parse } from '#test/support/kubernetes/manifests.ts';
import { runScriptJob } from '#test/support/kubernetes/script-job.ts';

describe('the Job that makes passwords and keys', { skip: noHelm }, () => {
  let server: ApiServer;
  before(async () => {
    server = await startApiServer();
  });
  after(() => server[Symbol.asyncDispose]());

  /** Creates a namespace with the Job's own rights, as the chart grants them. */
  async function prepare(namespace: string, ...args: string[]): Promise<Json[]> {
    const manifests = parse(await render(namespace, ...args));
    await server.kubectl.run('create', 'namespace', namespace);
    await server.kubectl.apply(...manifests.filter((item) => isOfJob(item) && item.kind !== 'Job'));
    return manifests;
  }
  const isOfJob = ({ metadata }: Json) => metadata.labels['app.kubernetes.io/component'] === 'secrets';
  const secretsOf = async (namespace: string) =>
    new Map(
      (await server.kubectl.list('secrets', namespace)).map(({ metadata, data }): [string, Json] => [
        metadata.name,
        Object.fromEntries(Object.entries<string>(data).map(([key, value]) => [key, atob(value)])),
      ]),
    );

  test('makes them of the forms that each part takes, with the rights that the chart gives', async () => {
    const { code, stdout, stderr } = await runScriptJob(server, await prepare('first'), 'secrets');
    assert.equal(stderr, '');
    assert.equal(code, 0);
    assert.match(stdout, /Secret sandpost-bootstrap: created/);
    const secrets = await secretsOf('first');
    assert.deepEqual([...secrets.keys()].sort(), [
      'sandpost-bootstrap',
      'sandpost-mongodb',
      'sandpost-redis',
    ]);
    const bootstrap = secrets.get('sandpost-bootstrap');
    assert.match(bootstrap['api-key'], /^sp_[A-Za-z0-9_-]{43}$/);
    assert.match(bootstrap.password, /^[A-Za-z0-9_-]{24}$/);
    const mongodb = secrets.get('sandpost-mongodb');
    assert.match(mongodb.keyfile, /^[0-9a-f]{128}$/);
    assert.equal(
      mongodb['mongodb-uri'],
      `mongodb://sandpost:${mongodb.password}@sandpost-mongodb-0.sandpost-mongodb.first.svc:27017/sandpost?replicaSet=rs0`,
    );
    const redis = secrets.get('sandpost-redis');
    assert.equal(redis['redis-url'], `redis://:${redis.password}@sandpost-redis.first.svc:6379`);
    assert.equal(redis['redis.conf'], `requirepass ${redis.password}`);
  });

  test('changes no value that is there, and adds missing ones', async () => {
    const manifests = await prepare('again');
    await runScriptJob(server, manifests, 'secrets');
    const made = await secretsOf('again');
    const again = await runScriptJob(server, manifests, 'secrets');
    assert.match(again.stdout, /Secret sandpost-mongodb: already exists/);
    assert.deepEqual(await secretsOf('again'), made);

    const remove = JSON.stringify([{ op: 'remove', path: '/data/redis-url' }]);
    const patch = ['patch', 'secret', 'sandpost-redis', '-n', 'again', '--type=json', '-p', remove];
    await server.kubectl.run(...patch);
    const third = await runScriptJob(server, manifests, 'secrets');
    assert.match(third.stdout, /Secret sandpost-redis: added redis-url/);
    assert.deepEqual(await secretsOf('again'), made);
  });

  test('two at once agree on one password', async () => {
    const manifests = await prepare('twice');
    const runs = await Promise.all([1, 2, 3].map(() => runScriptJob(server, manifests, 'secrets')));
    const codes = runs.map(({ code }) => code);
    assert.deepEqual(codes, [0, 0, 0]);
    const made = runs.flatMap(({ stdout }) => stdout.match(/Secret sandpost-redis: created/g) ?? []);
    assert.equal(made.length, 1);
  });

  test('makes no value that is not requested', async () => {
    const yours = await render('yours', '-f', 'charts/sandpost/ci/external-stores-values.yaml');
    const manifests = parse(yours);
    assert.deepEqual(manifests.filter(isOfJob), []);
    const bootstrapOnly = ['--set', 'mongodb.bundled.enabled=false,mongodb.existingSecret.name=a'];
    const one = await prepare('one', ...bootstrapOnly, '--set', 'bootstrap.enabled=false');
    await runScriptJob(server, one, 'secrets');
    assert.deepEqual([...(await secretsOf('one')).keys()], ['sandpost-redis']);
  });

  test('no template contains a secret: two renderings are the same to the byte', async () => {
    assert.equal(await render('first'), await render('first'));
  });
});
