import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hashSecret } from '#core/access/secrets.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import { deliver, now } from '#test/once/conformance/scene.ts';
import { account, apiKey, domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { quotas } from '#test/support/program/quotas.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };

suite('changes outside the resources show in them', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  test('Verified follows the MX record, and a DNS failure does not change it', async () => {
    const { kubectl, dns } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const verified = (status: string, reason: string) =>
      conditionIs(kubectl, ['domain', qa, 'd'], { type: 'Verified', status, reason });
    dns.misbehaviour.set('mx.test', 'SERVFAIL');
    await kubectl.apply(domain(qa, 'd', { domain: 'mx.test' }));
    const pending = await verified('Unknown', 'Pending');
    assert.deepEqual(pending.status.mxRecords, ['mx.sandpost.test']);
    dns.zones['mx.test'] = { MX: [[10, 'mx.sandpost.test']], ttl: 0 };
    dns.misbehaviour.clear();
    const found = await verified('True', 'MxFound');
    assert.equal(found.status.verificationStatus, 'verified');
    dns.misbehaviour.set('mx.test', 'SERVFAIL');
    const asked = dns.questions.length;
    await until(() => dns.questions.length > asked + 3, 60_000, 100);
    await verified('True', 'MxFound');
    dns.misbehaviour.clear();
    dns.zones['mx.test'] = { MX: [[10, 'mx.elsewhere.test']], ttl: 0 };
    await kubectl.run('wait', '-n', qa, 'domain/d', '--for=condition=Verified=False', '--timeout=60s');
    const broken = await verified('False', 'MxMissing');
    assert.equal(broken.status.verificationStatus, 'failed');
    dns.zones['mx.test'] = { MX: [[10, 'mx.sandpost.test']], ttl: 0 };
    await kubectl.run('wait', '-n', qa, 'domain/d', '--for=condition=Verified', '--timeout=60s');
  });

  test('an Account without room says so within seconds, and when there is room again', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const limit = (storageLimit: number | string) =>
      kubectl.apply(account(qa, 'a', { address: 'qa@full.test', storageLimit }));
    const is = (status: 'True' | 'False', reason: string) =>
      conditionIs(kubectl, ['account', qa, 'a'], { type: 'Full', status, reason }, 30_000);
    await kubectl.apply(domain(qa, 'd', { domain: 'full.test' }));
    await limit(0);
    const nothing = await is('True', 'QuotaReached');
    assert.match(JSON.stringify(nothing.status.conditions), /the account uses 0 of 0 bytes and refuses mail/);
    assert.doesNotMatch(JSON.stringify(nothing.status), /receives mail/);
    await limit(1);
    await conditionIs(kubectl, ['account', qa, 'a'], ready);
    await is('True', 'QuotaReached');

    await limit('10Ki');
    const { status } = await is('False', 'HasRoom');
    const owner = await scene.lab.tenant(qa);
    const stored = await store.accounts.find(owner, status.accountId);
    assert.ok(stored !== null);
    const id = await deliver(store, stored, { sizeBytes: 10_000 });
    const full = await is('True', 'QuotaReached');
    assert.equal(full.status.usedBytes, 10_000);
    await conditionIs(kubectl, ['account', qa, 'a'], ready);
    const announced = (await kubectl.list('events', qa)).filter(({ reason }) => reason === 'QuotaReached');
    assert.ok(announced.every(({ type }) => type === 'Warning') && announced.length > 0);
    await store.messages.remove(owner, id, now());
    await is('False', 'HasRoom');
  });

  test('a Secret that is deleted or overwritten is created again, and the old key is revoked', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(apiKey(qa, 'k', {}));
    await conditionIs(kubectl, ['apikey', qa, 'k'], ready);
    const keyValue = async () => {
      const secret = await kubectl.get('secret', qa, 'k');
      return secret === null ? '' : Buffer.from(secret.data.SANDPOST_API_KEY ?? '', 'base64').toString();
    };
    const first = await keyValue();
    assert.ok(await store.apiKeys.findByHash(hashSecret(first)));
    await kubectl.run('delete', 'secret', 'k', '-n', qa);
    // The annotation triggers a reconciliation immediately instead of after a minute.
    await kubectl.run('annotate', 'apikey/k', '-n', qa, '--overwrite', 'touched=1');
    await until(async () => (await keyValue()).startsWith('sp_'), 60_000, 100);
    const second = await keyValue();
    await until(async () => (await store.apiKeys.findByHash(hashSecret(second))) !== null, 60_000, 100);
    assert.notEqual(first, second);
    assert.equal(await store.apiKeys.findByHash(hashSecret(first)), null);

    const overwritten = JSON.stringify({
      stringData: { SANDPOST_API_KEY: 'overwritten', SANDPOST_URL: 'http://x' },
    });
    await kubectl.run('patch', 'secret', 'k', '-n', qa, '--type=merge', '-p', overwritten);
    await kubectl.run('annotate', 'apikey/k', '-n', qa, '--overwrite', 'touched=2');
    await until(async () => (await keyValue()).startsWith('sp_'), 60_000, 100);
    const third = await keyValue();
    await until(async () => (await store.apiKeys.findByHash(hashSecret(third))) !== null, 60_000, 100);
    assert.equal((await store.rows.read('managedKeys', { team: await scene.lab.tenant(qa) })).length, 1);
    const { data } = await kubectl.get('secret', qa, 'k');
    assert.notEqual(Buffer.from(data.SANDPOST_URL, 'base64').toString(), 'http://x');
  });

  test('a reinstalled operator adds its finalizers again, and removes orphans after the grace period', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(
      domain(qa, 'stays', { domain: 'stays.test' }),
      domain(qa, 'goes', { domain: 'goes.test' }),
      account(qa, 'goes', { address: 'qa@stays.test' }),
      apiKey(qa, 'goes', {}),
    );
    const going = ['domain/goes', 'account/goes', 'apikey/goes'];
    await kubectl.ready(qa, ['domain/stays', ...going]);
    const owner = await scene.lab.tenant(qa);
    const kept = await store.rows.read('domain', { team: owner, domain: 'stays.test' });
    await scene.operator.stop();
    const release = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];
    for (const resource of ['domain/stays', ...going])
      await kubectl.run('patch', resource, '-n', qa, ...release);
    await kubectl.run('delete', '-n', qa, '--timeout=120s', ...going);

    await scene.startAgain({ SANDPOST_ORPHAN_GRACE_PERIOD: '1s' });
    await until(
      async () => {
        const { metadata } = await kubectl.get('domain', qa, 'stays');
        return metadata.finalizers?.includes('sandpost.dev/finalizer') ?? false;
      },
      120_000,
      100,
    );
    const gone = async () =>
      (await store.rows.read('domain', { team: owner, domain: 'goes.test' })) === null &&
      (await store.accounts.list(owner, {}, { page: 1, limit: 10 })).total === 0 &&
      (await store.rows.read('managedKeys', { team: owner })).length === 0;
    await until(gone, 120_000, 100);
    assert.deepEqual((await store.rows.read('domain', { team: owner, domain: 'stays.test' }))?.id, kept?.id);
  });

  test('a domain created by the API is no orphan', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(domain(qa, 'd', { domain: 'with-api.test' }));
    await conditionIs(kubectl, ['domain', qa, 'd'], ready);
    const owner = await scene.lab.tenant(qa);
    const byHand = { name: 'api-made.test', verified: true, active: true, managedBy: null };
    const ports = { ...store, quotas, domainSuffixes: [], clock: () => new Date() };
    await createDomain(ports, owner, byHand);
    await scene.operator.stop();
    await scene.startAgain();
    await kubectl.apply(domain(qa, 'd', { domain: 'with-api.test', active: false }));
    await conditionIs(kubectl, ['domain', qa, 'd'], { ...ready, reason: 'Inactive' });
    assert.ok(await store.rows.read('domain', { team: owner, domain: 'api-made.test' }));
  });
});
