import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { createDomain } from '#core/domains/create-domain.ts';
import { domain, eachOne, oneOfEach } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { quotas } from '#test/support/program/quotas.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const whole = { page: 1, limit: 100 };

suite('a namespace is a tenant', { skip: noKubernetes }, () => {
  const scene = operatorScene();
  before(() => scene.lab.server.startControllers());

  /** Creates one resource of each kind, and a domain, a member and an invitation as the API would. Returns the team. */
  const populate = async (qa: string): Promise<number> => {
    const { kubectl, store } = scene.lab;
    const ada = `ada@${qa}.test`;
    const user = await store.users.insert(ada, null, new Date());
    await kubectl.apply(...oneOfEach(qa));
    await kubectl.ready(qa, eachOne);
    const owner = await scene.lab.tenant(qa);
    const now = new Date();
    await store.teams.grant(owner, user?.id ?? 0, { source: 'direct', role: 'owner' }, { now });
    const invitation = {
      email: null,
      createdBy: null,
      hash: qa,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 600_000),
    };
    await store.invitations.insert({ team: owner, role: 'owner', ...invitation });
    const byHand = { name: `hand-${qa}.test`, verified: true, active: true, managedBy: null };
    const ports = { ...store, quotas, domainSuffixes: [], clock: () => new Date() };
    await createDomain(ports, owner, byHand);
    return owner;
  };
  const isEmpty = async (owner: number) =>
    (await scene.lab.store.rows.list('domains', { team: owner }, whole)).total === 0 &&
    (await scene.lab.store.accounts.list(owner, {}, whole)).total === 0 &&
    (await scene.lab.store.rows.list('apiKeys', { team: owner }, whole)).total === 0 &&
    (await scene.lab.store.rows.list('members', { team: owner }, whole)).total === 0 &&
    (await scene.lab.store.rows.list('invitations', { team: owner, now: new Date() }, whole)).total === 0;

  test('a deleted namespace goes with all its objects in the store', async () => {
    const [qa, other] = [await scene.lab.newNamespace(), await scene.lab.newNamespace()];
    const [owner, bystander] = [await populate(qa), await populate(other)];
    await scene.lab.kubectl.run('delete', 'namespace', qa, '--timeout=120s');
    await until(() => isEmpty(owner), 60_000, 100);
    assert.equal(
      (await scene.lab.store.rows.list('domains', { team: bystander }, whole)).total,
      2,
      'objects of other namespaces stay',
    );
  });

  test('objects of a namespace that was deleted while no operator ran are removed after the grace period', async () => {
    const qa = await scene.lab.newNamespace();
    const owner = await populate(qa);
    await scene.lab.kubectl.run('delete', '-n', qa, '--timeout=60s', ...eachOne);
    await scene.operator.stop();
    await scene.lab.kubectl.run('delete', 'namespace', qa, '--timeout=120s');
    assert.equal((await scene.lab.store.rows.list('domains', { team: owner }, whole)).total, 1);
    await scene.startAgain();
    await until(() =>
      scene.operator.log.some(({ event, kind }) => event === 'orphan.noted' && kind === 'team'),
    );
    assert.equal(await isEmpty(owner), false, 'during the grace period');
    await scene.operator.stop();
    await scene.startAgain({ SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
    await until(() => isEmpty(owner), 60_000, 100);
  });

  test('an operator of one namespace leaves others unchanged', async () => {
    const { kubectl } = scene.lab;
    const [qa, other] = [await scene.lab.newNamespace(), await scene.lab.newNamespace()];
    const foreign = await populate(other);
    await scene.operator.stop();
    await scene.startAgain({ SANDPOST_WATCH_NAMESPACES: qa });
    await kubectl.apply(
      domain(other, 'late', { domain: `late-${other}.test` }),
      domain(qa, 'mine', { domain: `${qa}.test` }),
    );
    await conditionIs(kubectl, ['domain', qa, 'mine'], ready);
    assert.equal((await kubectl.get('domain', other, 'late')).status.observedGeneration, -1);
    assert.equal(
      (await scene.lab.store.rows.list('domains', { team: foreign }, whole)).total,
      2,
      'no orphan is removed there',
    );
  });
});
