import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { account, domain, namespace } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const deletionPolicy = 'Retain';
const whole = { page: 1, limit: 50 };

suite('deletionPolicy', { skip: noKubernetes }, () => {
  const scene = operatorScene({ SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
  before(() => scene.lab.server.startControllers());

  /** IDs of a namespace's domain and account, null if they are gone. */
  const idsOf = async (qa: string) => {
    const { store } = scene.lab;
    const owner = await scene.lab.tenant(qa);
    const { items } = await store.accounts.list(owner, {}, whole);
    return [
      (await store.rows.read('domain', { team: owner, domain: `${qa}.test` }))?.id ?? null,
      items[0]?.id ?? null,
    ];
  };
  const make = async (qa: string, names: [string, string], more: object) => {
    const { kubectl } = scene.lab;
    await kubectl.apply(
      domain(qa, names[0], { domain: `${qa}.test`, ...more }),
      account(qa, names[1], { address: `qa@${qa}.test`, ...more }),
    );
    await conditionIs(kubectl, ['domain', qa, names[0]], ready);
    await conditionIs(kubectl, ['account', qa, names[1]], ready);
  };
  const remove = (qa: string, ...names: string[]) =>
    scene.lab.kubectl.run('delete', '-n', qa, '--timeout=60s', ...names);
  /** Creates an object without a resource, and waits until a sweep removes it. */
  const sweep = async () => {
    const { kubectl } = scene.lab;
    const other = await scene.lab.newNamespace();
    await kubectl.apply(domain(other, 'lost', { domain: `${other}.test` }));
    await conditionIs(kubectl, ['domain', other, 'lost'], ready);
    await kubectl.run(
      'patch',
      'domain/lost',
      '-n',
      other,
      '--type=merge',
      '-p',
      '{"metadata":{"finalizers":null}}',
    );
    await remove(other, 'domain/lost');
    await scene.operator.stop();
    await scene.startAgain({ SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
    await until(async () => (await idsOf(other))[0] === null, 60_000, 100);
  };

  test('Retain keeps domain and account, which later resources of any name take over', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await make(qa, ['d', 'a'], { deletionPolicy });
    const ids = await idsOf(qa);
    await remove(qa, 'domain/d', 'account/a');
    await sweep();
    assert.deepEqual(await idsOf(qa), ids);
    await make(qa, ['d', 'other'], { deletionPolicy });
    assert.deepEqual(await idsOf(qa), ids);

    await kubectl.run('delete', 'namespace', qa, '--timeout=120s');
    await sweep();
    assert.deepEqual(await idsOf(qa), ids);
    await kubectl.apply(namespace(qa));
    await make(qa, ['e', 'a'], {});
    assert.deepEqual(await idsOf(qa), ids);
    await remove(qa, 'domain/e', 'account/a');
    await until(async () => (await idsOf(qa)).every((id) => id === null), 60_000, 100);
    await until(
      async () => (await scene.lab.store.rows.read('orphans', {})).every(({ kind }) => kind === 'team'),
      60_000,
      100,
    );
  });

  test('a policy that people take back does not keep anything', async () => {
    const qa = await scene.lab.newNamespace();
    await make(qa, ['d', 'a'], { deletionPolicy });
    await make(qa, ['d', 'a'], { deletionPolicy: 'Delete' });
    await remove(qa, 'domain/d', 'account/a');
    assert.deepEqual(await idsOf(qa), [null, null]);
  });
});
