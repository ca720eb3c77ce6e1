import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashSecret } from '#core/access/secrets.ts';
import { account, apiKey, domain, member } from '#test/support/kubernetes/custom-resources.ts';
import { KilledOperator } from '#test/support/kubernetes/killed-operator.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs } from '#test/support/kubernetes/operator-lab.ts';

const ready = { type: 'Ready', status: 'True' };
const whole = { page: 1, limit: 100 };
const withinMs = 200_000;

test('an operator that is killed at each step of a creation creates each object once', {
  skip: noKubernetes,
}, async (t) => {
  await using killed = await KilledOperator.start();
  const { kubectl, store } = killed.lab;
  const qa = await killed.lab.newNamespace();
  const email = 'ada@made.test';
  const ada = await store.users.insert(email, null, new Date());
  await killed.through(
    'create',
    13,
    () =>
      kubectl.apply(
        domain(qa, 'd', { domain: 'made.test', mxVerified: true }),
        account(qa, 'a', { address: 'qa@made.test' }),
        apiKey(qa, 'k', {}),
        member(qa, 'm', { email }),
      ),
    async () => {
      await conditionIs(kubectl, ['domain', qa, 'd'], ready, withinMs);
      await conditionIs(kubectl, ['account', qa, 'a'], ready, withinMs);
      await conditionIs(kubectl, ['apikey', qa, 'k'], ready, withinMs);
      await conditionIs(kubectl, ['member', qa, 'm'], { ...ready, reason: 'Joined' }, withinMs);
      return true;
    },
  );
  t.diagnostic(`killed at ${killed.points.size} points: ${[...killed.points].join(', ')}`);
  assert.ok(killed.points.size >= 2);

  const owner = await killed.lab.tenant(qa);
  assert.equal((await store.domains.list(owner, {}, whole)).total, 1);
  assert.equal((await store.accounts.list(owner, {}, whole)).total, 1);
  assert.deepEqual(
    (await store.teams.members(owner, whole)).items.map(({ userId, role }) => [userId, role]),
    [[ada?.id, 'member']],
  );
  const { items: keys } = await store.apiKeys.list(owner, whole);
  assert.equal(keys.length, 1, 'one key');
  const secrets = await kubectl.list('secrets', qa);
  assert.deepEqual(
    secrets.map(({ metadata }) => metadata.name),
    ['k'],
  );
  const value = Buffer.from(secrets[0].data.SANDPOST_API_KEY, 'base64').toString();
  assert.equal((await store.apiKeys.findByHash(hashSecret(value)))?.key.id, keys[0]?.id);
  const announced = (await kubectl.list('events', qa)).map(
    ({ involvedObject: { kind }, reason }) => `${kind} ${reason}`,
  );
  assert.equal(new Set(announced).size, announced.length, `one Event for each change: ${announced}`);
  assert.ok(announced.includes('ApiKey Stored'), `${announced}`);
});
