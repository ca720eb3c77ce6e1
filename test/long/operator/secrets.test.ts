import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { type ApiProxy, startApiProxy } from '#test/support/kubernetes/api-proxy.ts';
import { apiKey, domain, inbox } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

/** Shorter than the interval in which a resource checks its Secret in any case. */
const soonMs = 20_000;

suite('the Secret of an ApiKey or an Inbox that others change', { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let proxy: ApiProxy;
  let operator: Process;
  let qa: string;
  /** Lines of the watches. */
  let lines: string[] = [];
  before(async () => {
    lab = await startOperatorLab();
    proxy = await startApiProxy(lab.server);
    proxy.passes = (line) => lines.push(line) > 0;
    operator = await start();
  });
  beforeEach(async () => {
    proxy.fault = () => null;
    qa = await lab.newNamespace();
    lines = [];
    await lab.kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test`, mxVerified: true }),
      inbox(qa, 'i', { domain: `${qa}.test` }),
      apiKey(qa, 'k', {}),
    );
  });
  after(async () => {
    await operator.kill();
    await proxy[Symbol.asyncDispose]();
    await lab[Symbol.asyncDispose]();
  });

  const start = (settings = {}) => lab.startOperator({ KUBECONFIG: proxy.kubeconfig, ...settings });
  const ready = () => lab.kubectl.ready(qa, ['apikey/k', 'inbox/i']);
  const secretOf = (name: string): Promise<Json> => lab.kubectl.get('secret', qa, name);
  const change = (name: string, patch: object) =>
    lab.kubectl.run('patch', 'secret', name, '-n', qa, '--type=merge', '-p', JSON.stringify(patch));
  const announced = async (reason: string) =>
    (await lab.kubectl.list('events', qa))
      .filter((event) => event.reason === reason)
      .map(({ type, involvedObject, message }) => `${type} ${involvedObject.kind} ${message}`)
      .sort();
  const watches = () => proxy.calls.filter(({ path, isWatch }) => isWatch && path.includes('/secrets'));

  test('is repaired at once, with an Event, and no value leaves the API server', async () => {
    await ready();
    const { url, address } = {
      url: (await secretOf('k')).data.SANDPOST_URL,
      address: (await secretOf('i')).data.SANDPOST_ADDRESS,
    };
    assert.deepEqual(await announced('SecretRepaired'), [], 'a creation is no repair');
    await change('k', { metadata: { annotations: { owner: 'shop' } }, stringData: { EXTRA: 'mine' } });
    await change('k', { stringData: { SANDPOST_URL: 'http://elsewhere' }, data: { host: null } });
    await until(async () => {
      const { SANDPOST_URL, host } = (await secretOf('k')).data;
      return SANDPOST_URL === url && host !== undefined;
    }, soonMs);
    await lab.kubectl.run('label', 'secret', 'i', '-n', qa, 'app.kubernetes.io/managed-by-');
    await until(async () => (await secretOf('i')).metadata.labels !== undefined, soonMs);
    await lab.kubectl.run('delete', 'secret', 'i', '-n', qa);
    await until(async () => (await secretOf('i'))?.data.SANDPOST_ADDRESS === address, soonMs);

    const { data, metadata } = await secretOf('k');
    assert.equal(atob(data.EXTRA), 'mine');
    assert.equal(metadata.annotations.owner, 'shop');
    await until(async () => (await announced('SecretRepaired')).length === 3, soonMs);
    assert.deepEqual(await announced('SecretRepaired'), [
      'Normal ApiKey the operator restored SANDPOST_URL, host in the Secret k',
      'Normal Inbox the Secret i was deleted, and the operator recreated it with a new key: restart pods that use the previous key',
      'Normal Inbox the operator restored the label in the Secret i',
    ]);
    await lab.kubectl.ready(qa, ['apikey/k', 'inbox/i']);
    const seen = lines.filter((line) => /"kind":"PartialObjectMetadata"/.test(line) && line.includes(qa));
    assert.ok(seen.length > 0);
    assert.ok(!lines.some((line) => /"kind":"Secret"/.test(line)));
    assert.match(watches()[0]?.path ?? '', /labelSelector=app.kubernetes.io%2Fmanaged-by%3Dsandpost/);
  });

  test('is repaired less often, with one Warning, if the other writer goes on', async () => {
    await ready();
    const isOurs = async () => atob((await secretOf('k')).data.port) !== '1';
    const fight = async () => {
      if (await isOurs()) await change('k', { stringData: { port: '1' } });
      return (await announced('SecretContested')).length > 0;
    };
    await until(fight, 60_000, 50);
    await until(isOurs, 60_000);
    assert.equal((await announced('SecretRepaired')).length, 3);
    assert.match((await announced('SecretContested'))[0] ?? '', /^Warning ApiKey .*waits up to a minute/);
    const { status } = await lab.kubectl.get('apikey', qa, 'k');
    assert.equal(status.conditions.find(({ type }: Json) => type === 'Ready').status, 'True');
  });

  test('is repaired at the next look if the operator may not watch Secrets, and at once when it may', async () => {
    await ready();
    proxy.fault = ({ path }) => (/\/secrets\?/.test(path) ? { status: 403 } : null);
    await operator.stop();
    operator = await start();
    const isRefused = async () => {
      const metrics = await (await fetch(`http://127.0.0.1:${operator.ports.ops}/metrics`)).text();
      return /^sandpost_operator_refused_watches{what="Secret in all namespaces"} ([01])$/m.exec(
        metrics,
      )?.[1];
    };
    await until(async () => (await isRefused()) === '1');
    await change('k', { stringData: { port: '1' } });
    // The annotation triggers a reconciliation immediately instead of after a minute.
    await lab.kubectl.run('annotate', '--overwrite', 'apikey/k', '-n', qa, 'touched=1');
    await until(async () => atob((await secretOf('k')).data.port) !== '1', soonMs);
    await until(async () => (await announced('SecretRepaired')).length === 1, soonMs);
    const tries = () => proxy.calls.filter(({ path }) => /\/secrets\?/.test(path)).length;
    const from = tries();
    await until(() => tries() > from + 1, soonMs);
    assert.equal(operator.log.filter(({ event }) => event === 'watch.refused').length, 1);
    proxy.fault = () => null;
    await until(async () => {
      await lab.kubectl.run('annotate', '--overwrite', 'secret/k', '-n', qa, `touched=${Date.now()}`);
      return (await isRefused()) === '0';
    }, 60_000);
    await change('i', { stringData: { port: '1' } });
    await until(async () => atob((await secretOf('i')).data.port) !== '1', soonMs);
  });

  test('gets an entry that a setting adds, which is no repair', async () => {
    await ready();
    await operator.stop();
    operator = await start({ SANDPOST_CLIENT_SMTPS_PORT: '465' });
    for (const name of ['k', 'i'])
      await until(async () => (await secretOf(name)).data.SANDPOST_SMTPS_PORT === btoa('465'), soonMs);
    assert.deepEqual(await announced('SecretRepaired'), []);
    await change('k', { data: { SANDPOST_SMTPS_PORT: null } });
    await until(async () => (await announced('SecretRepaired')).length === 1, soonMs);
    assert.match(
      (await announced('SecretRepaired'))[0] ?? '',
      /restored SANDPOST_SMTPS_PORT in the Secret k/,
    );
  });

  test('has an Event for an entry that was removed while no operator ran', async () => {
    await ready();
    await operator.stop();
    for (const name of ['k', 'i']) await change(name, { data: { host: null } });
    operator = await start();
    for (const name of ['k', 'i'])
      await until(async () => (await secretOf(name)).data.host !== undefined, soonMs);
    await until(async () => (await announced('SecretRepaired')).length === 2, soonMs);
    assert.deepEqual(await announced('SecretRepaired'), [
      'Normal ApiKey the operator restored host in the Secret k',
      'Normal Inbox the operator restored host in the Secret i',
    ]);
  });

  test('is repaired in the namespaces that are named, with rights to these alone', async () => {
    const other = qa;
    qa = await lab.newNamespace();
    await lab.kubectl.apply(apiKey(qa, 'k', {}));
    await lab.kubectl.ready(qa, ['apikey/k']);
    await operator.stop();
    const from = proxy.calls.length;
    operator = await start({ SANDPOST_WATCH_NAMESPACES: qa });
    const paths = () =>
      proxy.calls
        .slice(from)
        .filter(({ path, isWatch }) => isWatch && path.includes('/secrets'))
        .map(({ path }) => path.replace(/\?.*/, ''));
    await until(() => paths().length > 0);
    await lab.kubectl.run('delete', 'secret', 'k', '-n', qa);
    await until(async () => (await secretOf('k')) !== null, soonMs);
    assert.deepEqual([...new Set(paths())], [`/api/v1/namespaces/${qa}/secrets`]);
    assert.ok(!proxy.calls.slice(from).some(({ path }) => path.includes(`/namespaces/${other}/secrets`)));
  });
});
