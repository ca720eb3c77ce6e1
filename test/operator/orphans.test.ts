import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { account, apiKey, domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const made = ['domain/d', 'account/a', 'apikey/k'];

/** Each test is one operator's life or more, on one store. */
suite('an operator whose resources are missing', { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let operator: Process;
  before(async () => {
    lab = await startOperatorLab();
  });
  afterEach(async () => {
    await operator.stop();
  });
  after(() => lab[Symbol.asyncDispose]());

  /** One of each kind in a namespace of its own. */
  const inhabit = async (qa: string) => {
    await lab.kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test` }),
      account(qa, 'a', { address: `qa@${qa}.test` }),
      apiKey(qa, 'k', {}),
    );
  };
  const settled = (qa: string) =>
    lab.kubectl.run('wait', '-n', qa, '--for=condition=Ready', '--timeout=60s', ...made);

  /** Removes resources behind the operator's back, as a cluster that is rebuilt does. */
  const lose = async (qa: string, resources = made) => {
    const patch = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    for (const resource of resources) await lab.kubectl.run('patch', resource, '-n', qa, ...patch);
    await lab.kubectl.run('delete', '-n', qa, '--timeout=60s', ...resources);
  };
  const idsOf = async (qa: string) => {
    const owner = await lab.tenant(qa);
    const { items } = await lab.store.accounts.list(owner, {}, { page: 1, limit: 10 });
    return [(await lab.store.domains.findByName(owner, `${qa}.test`))?.id, ...items.map(({ id }) => id)];
  };
  const told = (event: string, qa: string) =>
    operator.log.filter((line) => line.event === event && line.namespace === qa);
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${operator.ports.ops}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };

  test('keeps what they made, says so, and takes it back when they return', async () => {
    const { kubectl, store } = lab;
    const qa = await lab.newNamespace();
    operator = await lab.startOperator();
    await inhabit(qa);
    await settled(qa);
    const ids = await idsOf(qa);
    const { data } = await kubectl.get('secret', qa, 'k');
    await operator.stop();
    await lose(qa);

    operator = await lab.startOperator();
    await until(() => told('orphan.noted', qa).length === 3, 60_000, 50);
    assert.deepEqual(await idsOf(qa), ids);
    await until(async () => (await metric('sandpost_operator_orphans')) === 3, 60_000, 50);
    const warning = async () =>
      (await kubectl.list('events', qa)).find(({ reason }) => reason === 'Orphaned');
    await until(async () => (await warning()) !== undefined, 60_000, 100);
    const event = await warning();
    assert.deepEqual([event?.type, event?.involvedObject.kind], ['Warning', 'Namespace']);
    assert.match(event?.message ?? '', /^Account a, ApiKey k, Domain d: .* is removed from 20\d\d-/);

    // Another life begins no new grace period.
    const noted = await store.managers.orphans();
    await operator.stop();
    operator = await lab.startOperator();
    await until(async () => (await metric('sandpost_operator_orphans')) === 3, 60_000, 50);
    assert.deepEqual(await store.managers.orphans(), noted);

    await inhabit(qa);
    await settled(qa);
    assert.deepEqual(await idsOf(qa), ids);
    const secret = await kubectl.get('secret', qa, 'k');
    assert.deepEqual(secret.data, data, 'the key works on');
    const { metadata } = await kubectl.get('apikey', qa, 'k');
    assert.equal(secret.metadata.ownerReferences[0].uid, metadata.uid);
    await until(() => told('orphan.returned', qa).length === 3, 60_000, 50);
    assert.equal(await metric('sandpost_operator_orphans'), 0);
    assert.deepEqual(await store.managers.orphans(), []);
    assert.deepEqual(told('orphan.removed', qa), []);
  });

  test('removes it after the grace period, but nothing whose resource came back', async () => {
    const qa = await lab.newNamespace();
    operator = await lab.startOperator();
    await inhabit(qa);
    await settled(qa);
    const [domainId] = await idsOf(qa);
    await operator.stop();
    await lose(qa, ['account/a', 'apikey/k']);
    operator = await lab.startOperator({ SANDPOST_ORPHAN_GRACE_PERIOD: '2s' });
    await until(async () => (await idsOf(qa)).length === 1, 60_000, 50);
    await until(() => told('orphan.removed', qa).length === 2, 60_000, 50);
    assert.deepEqual(await idsOf(qa), [domainId]);
    await conditionIs(lab.kubectl, ['domain', qa, 'd'], ready);
  });

  test('of another cluster leaves all of its namesake alone', async () => {
    const { kubectl } = lab;
    const [qa, own] = [await lab.newNamespace(), await lab.newNamespace()];
    operator = await lab.startOperator({ SANDPOST_CLUSTER_ID: 'first' });
    await inhabit(qa);
    await settled(qa);
    const ids = await idsOf(qa);
    await operator.stop();
    await lose(qa, ['account/a']);

    // The second cluster has a namespace and some resources of the same names, and none of others.
    const others = { SANDPOST_CLUSTER_ID: 'second', SANDPOST_ORPHAN_GRACE_PERIOD: '0s' };
    operator = await lab.startOperator(others);
    const taken = { type: 'Ready', status: 'False', reason: 'NamespaceTaken' };
    const shown = await conditionIs(kubectl, ['domain', qa, 'd'], taken);
    assert.equal(shown.status.domainId, undefined);
    assert.doesNotMatch(JSON.stringify(shown.status), /first/);
    await kubectl.apply(domain(own, 'd', { domain: `${own}.test` }));
    await conditionIs(kubectl, ['domain', own, 'd'], ready);
    await until(async () => (await metric('sandpost_operator_foreign_things')) >= 3, 60_000, 50);
    assert.ok(
      operator.log.some(({ event, clusters }) => event === 'foreign.kept' && `${clusters}`.includes('first')),
    );
    await kubectl.run('delete', 'domain/d', 'apikey/k', '-n', qa, '--timeout=60s');
    assert.deepEqual(await idsOf(qa), ids);
    assert.deepEqual(told('orphan.noted', qa), []);
    await operator.stop();

    // A rebuilt cluster that is given the identity of the old one has its mail again.
    operator = await lab.startOperator({ SANDPOST_CLUSTER_ID: 'first' });
    await inhabit(qa);
    await settled(qa);
    assert.deepEqual(await idsOf(qa), ids);
  });

  test('takes over what no cluster has claimed, as stores of earlier versions have it, once it has a resource', async () => {
    const { store } = lab;
    const [qa, idle] = [await lab.newNamespace(), await lab.newNamespace()];
    const earlier = async (name: string): Promise<number> => {
      const owner = (await store.users.insert(`namespace/${name}`, null, new Date()))?.id ?? 0;
      const at = new Date();
      const verification = {
        status: 'pending',
        source: null,
        detail: null,
        refusals: 0,
        checkedAt: null,
      } as const;
      const row = { name: `${name}.test`, active: true, managedBy: `${name}/d`, createdAt: at };
      const made = await store.domains.insert(owner, {
        ...row,
        verification: { ...verification, nextCheckAt: null },
      });
      assert.ok(made !== null && typeof made === 'object');
      return made.id;
    };
    const [mine, nobodys] = [await earlier(qa), await earlier(idle)];
    operator = await lab.startOperator({ SANDPOST_ORPHAN_GRACE_PERIOD: '0s' });
    await lab.kubectl.apply(domain(qa, 'd', { domain: `${qa}.test` }));
    const { status } = await conditionIs(lab.kubectl, ['domain', qa, 'd'], ready);
    assert.equal(status.domainId, mine);
    assert.equal((await store.domains.findByName(await lab.tenant(idle), `${idle}.test`))?.id, nobodys);
    const uid = await lab.kubectl.run('get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}');
    assert.equal((await store.managers.claims()).get(await lab.tenant(qa)), uid);
    assert.equal((await store.managers.claims()).has(await lab.tenant(idle)), false);
  });
});
