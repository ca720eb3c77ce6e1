import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import {
  account,
  apiKey,
  domain,
  eachOne,
  inbox,
  oneOfEach,
} from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };

/** Starts and stops operators on one store. Each test ends with the operator that it started last. */
suite('an operator on objects whose resources are missing', { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let operator: Process;
  before(async () => {
    lab = await startOperatorLab();
  });
  afterEach(async () => {
    await operator.stop();
  });
  after(() => lab[Symbol.asyncDispose]());

  /** Creates one resource of each kind, and the Member's user. */
  const populate = async (qa: string) => {
    await lab.store.users.insert(`ada@${qa}.test`, null, new Date());
    await lab.kubectl.apply(...oneOfEach(qa));
  };
  const settled = (qa: string) => lab.kubectl.ready(qa, eachOne);

  /** Deletes resources without their finalizers, as losing a cluster does. */
  const lose = async (qa: string, resources = eachOne) => {
    const patch = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    for (const resource of resources) await lab.kubectl.run('patch', resource, '-n', qa, ...patch);
    await lab.kubectl.run('delete', '-n', qa, '--timeout=60s', ...resources);
  };
  const idsOf = async (qa: string) => {
    const owner = await lab.tenant(qa);
    const { items } = await lab.store.accounts.list(owner, {}, { page: 1, limit: 10 });
    return [
      (await lab.store.rows.read('domain', { team: owner, domain: `${qa}.test` }))?.id,
      ...items.map(({ id }) => id),
    ];
  };
  const membersOf = async (qa: string) =>
    (await lab.store.rows.list('members', { team: await lab.tenant(qa) }, { page: 1, limit: 10 })).total;
  const logged = (event: string, qa: string) =>
    operator.log.filter((line) => line.event === event && line.namespace === qa);
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${operator.ports.ops}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };

  test('keeps the objects, warns of their removal, and adopts them when the resources return', async () => {
    const { kubectl, store } = lab;
    const qa = await lab.newNamespace();
    operator = await lab.startOperator();
    await populate(qa);
    await settled(qa);
    const ids = await idsOf(qa);
    const { data } = await kubectl.get('secret', qa, 'k');
    await operator.stop();
    await lose(qa);

    operator = await lab.startOperator();
    await until(() => logged('orphan.noted', qa).length === 4, 60_000, 50);
    assert.deepEqual(await idsOf(qa), ids);
    await until(async () => (await metric('sandpost_operator_orphans')) === 4, 60_000, 50);
    const warning = async () =>
      (await kubectl.list('events', qa)).find(({ reason }) => reason === 'Orphaned');
    await until(async () => (await warning()) !== undefined, 60_000, 100);
    const event = await warning();
    assert.deepEqual([event?.type, event?.involvedObject.kind], ['Warning', 'Namespace']);
    assert.match(
      event?.message ?? '',
      /^missing resources: Account a, ApiKey k, Domain d, Member m\. After 20\d\d-/,
    );

    // A restart does not extend the grace period.
    const noted = await store.rows.read('orphans', {});
    await operator.stop();
    operator = await lab.startOperator();
    await until(async () => (await metric('sandpost_operator_orphans')) === 4, 60_000, 50);
    assert.deepEqual(await store.rows.read('orphans', {}), noted);

    await populate(qa);
    await settled(qa);
    assert.deepEqual(await idsOf(qa), ids);
    const secret = await kubectl.get('secret', qa, 'k');
    assert.deepEqual(secret.data, data, 'the key is the same');
    const { metadata } = await kubectl.get('apikey', qa, 'k');
    assert.equal(secret.metadata.ownerReferences[0].uid, metadata.uid);
    await until(() => logged('orphan.returned', qa).length === 4, 60_000, 50);
    assert.equal(await metric('sandpost_operator_orphans'), 0);
    assert.deepEqual(await store.rows.read('orphans', {}), []);
    assert.deepEqual(logged('orphan.removed', qa), []);
  });

  test('removes the orphans after the grace period, and no object with a resource', async () => {
    const qa = await lab.newNamespace();
    operator = await lab.startOperator();
    await populate(qa);
    await settled(qa);
    const [domainId] = await idsOf(qa);
    assert.equal(await membersOf(qa), 1);
    await operator.stop();
    await lose(qa, ['account/a', 'apikey/k', 'member/m']);
    operator = await lab.startOperator({ SANDPOST_ORPHAN_GRACE_PERIOD: '2s' });
    await until(async () => (await idsOf(qa)).length === 1, 60_000, 50);
    await until(() => logged('orphan.removed', qa).length === 3, 60_000, 50);
    assert.deepEqual(await idsOf(qa), [domainId]);
    assert.equal(await membersOf(qa), 0);
    await conditionIs(lab.kubectl, ['domain', qa, 'd'], ready);
  });

  test('removes the account and the key of a lost Inbox, though a later one has its name, and nothing of namesakes', async () => {
    const { kubectl, store } = lab;
    const qa = await lab.newNamespace();
    operator = await lab.startOperator();
    const lost = inbox(qa, 'i', { domain: `${qa}.test` });
    await kubectl.apply(
      ...[lost, domain(qa, 'd', { domain: `${qa}.test` })],
      ...[account(qa, 'i', { address: `qa@${qa}.test` }), apiKey(qa, 'i', { secretName: 'full' })],
    );
    await kubectl.ready(qa, ['inbox/i', 'account/i', 'apikey/i']);
    const { accountId, tokenId } = (await kubectl.get('inbox', qa, 'i')).status;
    await operator.stop();
    await lose(qa, ['inbox/i']);
    operator = await lab.startOperator();
    await until(() => logged('orphan.noted', qa).length === 2, 60_000, 50);
    await kubectl.apply(lost);
    await kubectl.ready(qa, ['inbox/i']);
    await operator.stop();
    operator = await lab.startOperator({ SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
    const team = await lab.tenant(qa);
    await until(async () => (await store.accounts.find(team, accountId)) === null, 60_000, 50);
    const keys = (await store.rows.read('managedKeys', { team })).map(({ id, managedBy }) => [id, managedBy]);
    const { status } = await kubectl.get('inbox', qa, 'i');
    assert.notEqual(status.tokenId, tokenId);
    assert.deepEqual(keys.map(([, managedBy]) => managedBy).sort(), [`${qa}/i`, `${qa}/i/Inbox`]);
    assert.equal((await store.accounts.list(team, {}, { page: 1, limit: 10 })).total, 2);
    assert.deepEqual((await store.accounts.find(team, status.accountId))?.managedBy, `${qa}/i/Inbox`);
  });

  test('of another cluster leaves the objects of a namespace of the same name unchanged', async () => {
    const { kubectl } = lab;
    const [qa, own] = [await lab.newNamespace(), await lab.newNamespace()];
    operator = await lab.startOperator({ SANDPOST_CLUSTER_ID: 'first' });
    await populate(qa);
    await settled(qa);
    const ids = await idsOf(qa);
    await operator.stop();
    await lose(qa, ['account/a']);

    // The second cluster has a namespace with the same name and some of the resources.
    const others = { SANDPOST_CLUSTER_ID: 'second', SANDPOST_ORPHAN_GRACE_PERIOD: '1s' };
    operator = await lab.startOperator(others);
    const taken = { type: 'Ready', status: 'False', reason: 'NamespaceTaken' };
    const shown = await conditionIs(kubectl, ['domain', qa, 'd'], taken);
    assert.equal(shown.status.domainId, undefined);
    assert.doesNotMatch(JSON.stringify(shown.status), /first/);
    await kubectl.apply(domain(own, 'd', { domain: `${own}.test` }));
    await conditionIs(kubectl, ['domain', own, 'd'], ready);
    await until(async () => (await metric('sandpost_operator_foreign_things')) >= 4, 60_000, 50);
    assert.ok(
      operator.log.some(({ event, clusters }) => event === 'foreign.kept' && `${clusters}`.includes('first')),
    );
    await kubectl.run('delete', 'domain/d', 'apikey/k', 'member/m', '-n', qa, '--timeout=60s');
    assert.equal(await membersOf(qa), 1);
    assert.deepEqual(await idsOf(qa), ids);
    assert.deepEqual(logged('orphan.noted', qa), []);
    await operator.stop();

    // A rebuilt cluster continues the old one under its identity.
    operator = await lab.startOperator({ SANDPOST_CLUSTER_ID: 'first' });
    await populate(qa);
    await settled(qa);
    assert.deepEqual(await idsOf(qa), ids);
  });

  test('claims a namespace without a cluster as soon as it has a resource', async () => {
    const { store } = lab;
    const [qa, idle] = [await lab.newNamespace(), await lab.newNamespace()];
    const unclaimed = async (name: string): Promise<number> => {
      const at = new Date();
      const team = { name: `namespace/${name}`, kind: 'managed', founder: null, createdAt: at } as const;
      const owner = (await store.teams.insert(team))?.id ?? 0;
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
    const [claimedId, idleId] = [await unclaimed(qa), await unclaimed(idle)];
    operator = await lab.startOperator({ SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
    await lab.kubectl.apply(domain(qa, 'd', { domain: `${qa}.test` }));
    const { status } = await conditionIs(lab.kubectl, ['domain', qa, 'd'], ready);
    assert.equal(status.domainId, claimedId);
    assert.equal(
      (await store.rows.read('domain', { team: await lab.tenant(idle), domain: `${idle}.test` }))?.id,
      idleId,
    );
    const uid = await lab.kubectl.run('get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}');
    assert.equal((await store.rows.read('claims', {})).get(await lab.tenant(qa)), uid);
    assert.equal((await store.rows.read('claims', {})).has(await lab.tenant(idle)), false);
  });
});
