import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { account, domain, eachOne, oneOfEach } from '#test/support/kubernetes/custom-resources.ts';
import { bringForward, definitionFiles } from '#test/support/kubernetes/definitions.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const page = { page: 1, limit: 10 };

suite('the definitions are deleted and applied again', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  const populate = (qa: string) => scene.lab.kubectl.apply(...oneOfEach(qa, { group: 'devs' }));
  const settled = (qa: string) => scene.lab.kubectl.ready(qa, eachOne);
  const idsOf = async (qa: string) => {
    const owner = await scene.lab.tenant(qa);
    const { items } = await scene.lab.store.accounts.list(owner, {}, page);
    const found = await scene.lab.store.rows.read('domain', { team: owner, domain: `${qa}.test` });
    return [found?.id, ...items.map(({ id }) => id)];
  };
  const logged = (event: string, qa: string) =>
    scene.operator.log.filter((line) => line.event === event && line.namespace === qa).length;
  const deleteDefinitions = () => scene.lab.kubectl.run('delete', '--timeout=60s', ...definitionFiles);

  test('nothing in the store is lost, and a resource of another name takes over what is there', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await populate(qa);
    await settled(qa);
    const ids = await idsOf(qa);
    assert.equal(ids.length, 2);

    await deleteDefinitions();
    await until(() => logged('orphan.noted', qa) === 4, 60_000, 50);
    assert.deepEqual(await idsOf(qa), ids);
    const warning = (await kubectl.list('events', qa)).find(({ reason }) => reason === 'Orphaned');
    assert.match(warning?.message ?? '', /^missing resources: Account a, ApiKey k, Domain d, Member m\. /);

    await bringForward(scene.lab.kubectl);
    await populate(qa);
    await settled(qa);
    assert.deepEqual(await idsOf(qa), ids);
    await until(async () => (await store.rows.read('orphans', {})).length === 0, 60_000, 50);

    await deleteDefinitions();
    await until(() => logged('orphan.noted', qa) === 8, 60_000, 50);
    await bringForward(scene.lab.kubectl);
    await kubectl.apply(
      domain(qa, 'renamed', { domain: `${qa}.test` }),
      account(qa, 'renamed', { address: `qa@${qa}.test` }),
    );
    await conditionIs(kubectl, ['domain', qa, 'renamed'], ready);
    await conditionIs(kubectl, ['account', qa, 'renamed'], ready);
    assert.deepEqual(await idsOf(qa), ids);
    const owner = await scene.lab.tenant(qa);
    assert.equal(
      (await store.rows.read('domain', { team: owner, domain: `${qa}.test` }))?.managedBy,
      `${qa}/renamed`,
    );
    await until(async () => (await store.rows.read('orphans', {})).length === 2, 60_000, 50);

    // A second resource for the same domain is a duplicate of the resource that took it over.
    await kubectl.apply(domain(qa, 'again', { domain: `${qa}.test` }));
    await conditionIs(kubectl, ['domain', qa, 'again'], { type: 'Ready', reason: 'Duplicate' });
    await kubectl.run(
      'delete',
      '-n',
      qa,
      '--timeout=60s',
      'domain/again',
      'account/renamed',
      'domain/renamed',
    );
    assert.deepEqual(await idsOf(qa), [undefined]);
  });

  test('an operator without the right to read them keeps the objects too, and deletes by hand all the same', async () => {
    const { kubectl, store } = scene.lab;
    const [qa, foreign] = [await scene.lab.newNamespace(), await scene.lab.newNamespace()];
    const rules = JSON.parse(await kubectl.run('get', 'clusterrole', 'operator', '-o', 'json')).rules;
    const without = rules.filter(
      ({ resources }: { resources: string[] }) => !`${resources}`.includes('custom'),
    );
    assert.equal(without.length, rules.length - 1);
    const grant = (list: object[]) =>
      kubectl.run('patch', 'clusterrole', 'operator', '--type=merge', '-p', JSON.stringify({ rules: list }));
    await grant(without);
    try {
      await populate(qa);
      await settled(qa);
      await kubectl.apply(domain(foreign, 'd', { domain: `${foreign}.test` }));
      await conditionIs(kubectl, ['domain', foreign, 'd'], ready);
      await kubectl.run('delete', '-n', foreign, '--timeout=60s', 'domain/d');
      assert.equal(
        await store.rows.read('domain', { team: await scene.lab.tenant(foreign), domain: `${foreign}.test` }),
        null,
      );

      const ids = await idsOf(qa);
      await deleteDefinitions();
      await until(() => logged('orphan.noted', qa) === 4, 60_000, 50);
      assert.deepEqual(await idsOf(qa), ids);
    } finally {
      await grant(rules);
      await bringForward(scene.lab.kubectl);
    }
  });
});
