import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type ApiProxy, type Call, startApiProxy } from '#test/support/kubernetes/api-proxy.ts';
import { account, apiKey, domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const isEffect = ({ method, path }: Call) => method !== 'GET' && !path.includes('/leases');

suite('two operators', { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let proxy: ApiProxy;
  let first: Process;
  let second: Process;
  before(async () => {
    lab = await startOperatorLab();
    proxy = await startApiProxy(lab.server);
    first = await lab.startOperator({ KUBECONFIG: proxy.kubeconfig, SANDPOST_POD_NAME: 'first' });
    await until(() => leads(first), 60_000, 100);
    second = await lab.startOperator({ SANDPOST_POD_NAME: 'second' });
  });
  after(async () => {
    await Promise.all([first.kill(), second.kill()]);
    await proxy[Symbol.asyncDispose]();
    await lab[Symbol.asyncDispose]();
  });

  test('a leader is suspended during its work, and the other does that work once', async () => {
    const { kubectl, store } = lab;
    const qa = await lab.newNamespace();
    // Suspends the leader during its first write. After SIGCONT, it finds the response and has not noticed the pause.
    proxy.before = async (call) => {
      if (!isEffect(call)) return;
      proxy.before = async () => {};
      process.kill(first.pid, 'SIGSTOP');
    };
    const made = ['domain/d', 'account/a', 'apikey/k'];
    await kubectl.apply(
      domain(qa, 'd', { domain: 'frozen.test', mxVerified: true }),
      account(qa, 'a', { address: 'qa@frozen.test' }),
      apiKey(qa, 'k', {}),
    );
    await until(() => leads(second), 120_000);
    await kubectl.ready(qa, made);
    const before = await kubectl.list('sandpost', qa);

    const calls = proxy.calls.length;
    process.kill(first.pid, 'SIGCONT');
    await until(() => first.log.some(({ event }) => event === 'not leading'), 60_000, 100);
    await until(() => proxy.calls.slice(calls).some(({ path }) => path.includes('/leases')), 60_000, 100);
    assert.deepEqual(proxy.calls.slice(calls).filter(isEffect), [], 'no write after SIGCONT');
    const versions = (items: { metadata: { resourceVersion: string } }[]) =>
      items.map(({ metadata }) => metadata.resourceVersion);
    assert.deepEqual(versions(await kubectl.list('sandpost', qa)), versions(before));
    const keys = await store.rows.list('apiKeys', { team: await lab.tenant(qa) }, { page: 1, limit: 10 });
    assert.equal(keys.total, 1);
    const announced = (await kubectl.list('events', qa)).map(({ reason }) => reason).sort();
    // DomainMissing depends on whether the account or its domain was reconciled first.
    const always = announced.filter((reason) => reason !== 'DomainMissing');
    assert.deepEqual(always, ['Active', 'Active', 'Stored', 'VouchedFor']);
  });

  test('a leader that is stopped releases the Lease, and the other leads at once', async () => {
    const { kubectl } = lab;
    assert.equal(await second.stop(), 0);
    const holder = [
      'get',
      'lease',
      'sandpost-operator',
      '-n',
      'default',
      '-o',
      'jsonpath={.spec.holderIdentity}',
    ];
    await until(async () => (await kubectl.run(...holder)) === 'first', 60_000, 100);
    const qa = await lab.newNamespace();
    await kubectl.apply(domain(qa, 'd', { domain: 'after.test' }));
    await conditionIs(kubectl, ['domain', qa, 'd'], ready);
  });
});

const leads = (operator: Process) => operator.log.some(({ event }) => event === 'leading');
