import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { hashSecret } from '#core/access/secrets.ts';
import { apiGroup } from '#operator/group.ts';
import { apiKey } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { until } from '#test/support/runner/until.ts';

const stored = { type: 'Ready', status: 'True', reason: 'Stored' };
const expired = { type: 'Ready', status: 'False', reason: 'Expired' };
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

suite('an ApiKey', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  const secretOf = (qa: string): Promise<Json> => scene.lab.kubectl.get('secret', qa, 'k');
  const keyValue = async (qa: string) => atob((await secretOf(qa)).data.SANDPOST_API_KEY);
  /** Returns the stored key whose value the Secret has. */
  const keyOf = async (qa: string) =>
    (await scene.lab.store.apiKeys.findByHash(hashSecret(await keyValue(qa))))?.key;

  test('has the scope and the end of its spec, and the same value after a change', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const expiresAt = soon(3_600_000);
    await kubectl.apply(apiKey(qa, 'k', { scope: 'send', expiresAt }));
    await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    const value = await keyValue(qa);
    const before = await keyOf(qa);
    assert.deepEqual([before?.scope, before?.expiresAt?.toISOString()], ['send', expiresAt]);
    assert.match(
      await kubectl.run('get', 'apikey', '-n', qa, '-o', 'wide'),
      /SCOPE.*EXPIRES(.|\n)* send .* 20\d\d-/,
    );

    await kubectl.apply(apiKey(qa, 'k', {}));
    const { status } = await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    assert.equal(await keyValue(qa), value);
    const after = await keyOf(qa);
    assert.deepEqual([after?.scope, after?.expiresAt, after?.id], ['full', null, status.tokenId]);
    assert.equal((await scene.lab.store.apiKeys.listManaged(await scene.lab.tenant(qa))).length, 1);
  });

  test('tells that its end has come, and is valid again with a later one', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(apiKey(qa, 'k', { expiresAt: '2026-01-01T00:00:00Z' }));
    const { status } = await conditionIs(kubectl, ['apikey', qa, 'k'], expired);
    assert.match(
      JSON.stringify(status.conditions),
      /refused since 2026-01-01T00:00:00Z: set a later spec\.expiresAt/,
    );
    assert.equal(await secretOf(qa), null);

    await kubectl.apply(apiKey(qa, 'k', { expiresAt: soon(8000) }));
    // Nothing but the time changes.
    await conditionIs(kubectl, ['apikey', qa, 'k'], expired, 30_000);
    const announced = await kubectl.list('events', qa);
    assert.ok(announced.some(({ reason, type }) => reason === 'Expired' && type === 'Warning'));
    const value = await keyValue(qa);
    await kubectl.apply(apiKey(qa, 'k', { expiresAt: soon(3_600_000) }));
    await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    assert.equal(await keyValue(qa), value);
  });

  test('leaves entries, labels and annotations of others in its Secret when it repairs the Secret', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(apiKey(qa, 'k', {}));
    await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    const url = (await secretOf(qa)).data.SANDPOST_URL;
    const change = {
      metadata: { labels: { team: 'shop' }, annotations: { 'argocd.argoproj.io/tracking-id': 'mail' } },
      stringData: { EXTRA: 'mine', SANDPOST_URL: 'http://elsewhere' },
    };
    await kubectl.run('patch', 'secret', 'k', '-n', qa, '--type=merge', '-p', JSON.stringify(change));
    // The annotation causes a reconciliation at once instead of after a minute.
    await kubectl.run('annotate', 'apikey/k', '-n', qa, 'touched=1');
    await until(async () => (await secretOf(qa)).data.SANDPOST_URL === url, 60_000, 100);
    const { data, metadata } = await secretOf(qa);
    assert.equal(atob(data.EXTRA), 'mine');
    assert.deepEqual(metadata.labels, { team: 'shop', 'app.kubernetes.io/managed-by': 'sandpost' });
    assert.equal(metadata.annotations['argocd.argoproj.io/tracking-id'], 'mail');
    const managers = JSON.parse(
      await kubectl.run('get', 'secret', 'k', '-n', qa, '-o', 'json', '--show-managed-fields'),
    ).metadata.managedFields;
    assert.ok(
      managers.some(
        ({ manager, operation }: Json) => manager === apiGroup.fieldManager && operation === 'Apply',
      ),
    );
  });

  test('takes over the Secret of an earlier ApiKey of its name, whoever has restored it', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(apiKey(qa, 'k', {}));
    await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    const value = await keyValue(qa);
    const { apiVersion, kind, data, type, metadata } = await secretOf(qa);
    const { name, namespace, ownerReferences, labels } = metadata;
    await kubectl.run('delete', '-n', qa, '--timeout=60s', 'apikey/k');
    // A restored Secret has the reference to the earlier ApiKey, by another writer.
    ownerReferences[0].uid = '00000000-0000-4000-8000-000000000000';
    await kubectl.create({
      apiVersion,
      kind,
      data,
      type,
      metadata: { name, namespace, ownerReferences, labels },
    });
    await kubectl.apply(apiKey(qa, 'k', {}));
    const { metadata: own } = await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    assert.equal(await keyValue(qa), value);
    const references = (await secretOf(qa)).metadata.ownerReferences.map(({ uid }: Json) => uid);
    assert.deepEqual(references, [own.uid]);
  });
});
