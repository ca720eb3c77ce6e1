import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { hashSecret } from '#core/access/secrets.ts';
import { account, apiKey, domain, eachOne, member } from '#test/support/kubernetes/custom-resources.ts';
import { KilledOperator } from '#test/support/kubernetes/killed-operator.ts';
import type { Kubectl } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs } from '#test/support/kubernetes/operator-lab.ts';

const ready = { type: 'Ready', status: 'True' };
const inactive = { ...ready, reason: 'Inactive' };
const whole = { page: 1, limit: 100 };
const withinMs = 200_000;

/** Kills between two writes: to the store, which precedes writing a status, and to the Kubernetes API. */
const ofCreation = [
  ...['before PATCH domains/d', 'after PATCH domains/d', 'after POST events'],
  ...['before POST secrets', 'after POST secrets', 'before PATCH apikeys/k/status'],
  ...['before PATCH domains/d/status', 'after PATCH domains/d/status'],
  ...['before PATCH accounts/a/status', 'before PATCH members/m/status'],
];
const ofChange = ['before PATCH domains/d/status', 'before PATCH accounts/a/status', 'after POST events'];
const ofDeletion = [
  ...['before DELETE secrets/k', 'after DELETE secrets/k', 'before PATCH apikeys/k'],
  ...['before PATCH domains/d', 'after PATCH domains/d', 'before PATCH accounts/a', 'before PATCH members/m'],
];

suite('an operator that is killed', { skip: noKubernetes }, () => {
  let killed: KilledOperator;
  before(async () => {
    killed = await KilledOperator.start();
  });
  after(() => killed[Symbol.asyncDispose]());

  test('at each step of a creation creates each object once', async () => {
    const { kubectl, store } = killed.lab;
    const qa = await killed.lab.newNamespace();
    const email = 'ada@made.test';
    const ada = await store.users.insert(email, null, new Date());
    await killed.through(
      ofCreation,
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
    const owner = await killed.lab.tenant(qa);
    assert.equal((await store.rows.list('domains', { team: owner }, whole)).total, 1);
    assert.equal((await store.accounts.list(owner, {}, whole)).total, 1);
    const { items: members } = await store.rows.list('members', { team: owner }, whole);
    assert.deepEqual(
      members.map(({ userId, role }) => [userId, role]),
      [[ada?.id, 'member']],
    );
    const { items: keys } = await store.rows.list('apiKeys', { team: owner }, whole);
    assert.equal(keys.length, 1, 'one key');
    const secrets = await kubectl.list('secrets', qa);
    assert.deepEqual(
      secrets.map(({ metadata }) => metadata.name),
      ['k'],
    );
    const value = Buffer.from(secrets[0].data.SANDPOST_API_KEY, 'base64').toString();
    assert.equal((await store.apiKeys.findByHash(hashSecret(value)))?.key.id, keys[0]?.id);
    assert.ok((await announcedOnce(kubectl, qa)).includes('ApiKey Stored'));
  });

  test('at each step of a change and a deletion leaves no object behind', async () => {
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
    await kubectl.ready(qa, eachOne);
    const owner = await killed.lab.tenant(qa);
    assert.equal((await store.rows.list('members', { team: owner }, whole)).total, 1);
    const before = await store.rows.read('domain', { team: owner, domain: name });

    await killed.through(
      ofChange,
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
    assert.equal(
      (await store.rows.read('domain', { team: owner, domain: name }))?.id,
      before?.id,
      'the domain is the same one',
    );
    await announcedOnce(kubectl, qa);

    await killed.through(
      ofDeletion,
      () => kubectl.run('delete', '-n', qa, '--wait=false', ...eachOne),
      async () => (await kubectl.list('sandpost', qa)).length === 0,
    );
    assert.equal((await store.rows.list('domains', { team: owner }, whole)).total, 0);
    assert.equal((await store.accounts.list(owner, {}, whole)).total, 0);
    assert.equal((await store.rows.list('apiKeys', { team: owner }, whole)).total, 0);
    assert.equal((await store.rows.list('members', { team: owner }, whole)).total, 0);
    const unexpected = (await store.rows.read('memberRules', {})).filter(({ team }) => team === owner);
    assert.deepEqual(unexpected, []);
    assert.deepEqual(await kubectl.list('secrets', qa), []);
  });
});

/** Returns a namespace's Events, each as kind and reason. None occurs twice. */
async function announcedOnce(kubectl: Kubectl, namespace: string): Promise<string[]> {
  const events = await kubectl.list('events', namespace);
  const announced = events.map(({ involvedObject: { kind }, reason }) => `${kind} ${reason}`);
  assert.equal(new Set(announced).size, announced.length, `one Event for each change: ${announced}`);
  return announced;
}
