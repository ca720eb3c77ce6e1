import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, apiKey, domain, eachOne, member } from '#test/support/kubernetes/custom-resources.ts';
import { KilledOperator } from '#test/support/kubernetes/killed-operator.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs } from '#test/support/kubernetes/operator-lab.ts';

const ready = { type: 'Ready', status: 'True' };
const inactive = { ...ready, reason: 'Inactive' };
const whole = { page: 1, limit: 100 };
const withinMs = 200_000;

test('an operator that is killed at each step of a change and a deletion leaves no object behind', {
  skip: noKubernetes,
}, async (t) => {
  await using killed = await KilledOperator.start();
  const { kubectl, store } = killed.lab;
  const qa = await killed.lab.newNamespace();
  await store.users.insert('ada@changed.test', null, new Date());
  const name = 'changed.test';
  await kubectl.apply(
    domain(qa, 'd', { domain: name, mxVerified: true }),
    account(qa, 'a', { address: `qa@${name}` }),
    apiKey(qa, 'k', {}),
    member(qa, 'm', { email: 'ada@changed.test' }),
  );
  await kubectl.ready(qa, eachOne, 120);
  const owner = await killed.lab.tenant(qa);
  assert.equal((await store.teams.members(owner, whole)).total, 1);
  const before = await store.domains.find(owner, name);

  await killed.through(
    'change',
    3,
    () =>
      kubectl.apply(
        domain(qa, 'd', { domain: name, mxVerified: true, active: false }),
        account(qa, 'a', { address: `qa@${name}`, active: false }),
      ),
    async () => {
      await conditionIs(kubectl, ['domain', qa, 'd'], inactive, withinMs);
      await conditionIs(kubectl, ['account', qa, 'a'], inactive, withinMs);
      return true;
    },
  );
  assert.equal((await store.domains.find(owner, name))?.id, before?.id, 'the domain is the same one');
  const announced = (await kubectl.list('events', qa)).map(
    ({ involvedObject: { kind }, reason }) => `${kind} ${reason}`,
  );
  assert.equal(new Set(announced).size, announced.length, `one Event for each change: ${announced}`);

  await killed.through(
    'delete',
    9,
    () => kubectl.run('delete', '-n', qa, '--wait=false', ...eachOne),
    async () => (await kubectl.list('sandpost', qa)).length === 0,
  );
  t.diagnostic(`killed at ${killed.points.size} points: ${[...killed.points].join(', ')}`);
  assert.ok(killed.points.size >= 2);
  assert.equal((await store.domains.list(owner, {}, whole)).total, 0);
  assert.equal((await store.accounts.list(owner, {}, whole)).total, 0);
  assert.equal((await store.apiKeys.list(owner, whole)).total, 0);
  assert.equal((await store.teams.members(owner, whole)).total, 0);
  assert.deepEqual(await store.memberRules.list(), []);
  assert.deepEqual(await kubectl.list('secrets', qa), []);
});
