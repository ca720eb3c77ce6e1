import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { hashSecret } from '#core/access/secrets.ts';
import { apiGroup } from '#operator/group.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { apiKey, oneOfEach } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { startProcess } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const stored = { type: 'Ready', status: 'True', reason: 'Stored' };
const expired = { type: 'Ready', status: 'False', reason: 'Expired' };
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();

suite('an ApiKey', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  const secretOf = (qa: string): Promise<Json> => scene.lab.kubectl.get('secret', qa, 'k');
  const keyValue = async (qa: string) => atob((await secretOf(qa)).data.SANDPOST_API_KEY);
  /** Returns the stored key whose value the Secret contains. */
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
    assert.equal(
      (await scene.lab.store.rows.read('managedKeys', { team: await scene.lab.tenant(qa) })).length,
      1,
    );
  });

  test('tells that its end has come, and is valid again with a later one', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(apiKey(qa, 'k', { expiresAt: '2026-01-01T00:00:00Z' }));
    const { status } = await conditionIs(kubectl, ['apikey', qa, 'k'], expired);
    assert.match(
      JSON.stringify(status.conditions),
      /expired at 2026-01-01T00:00:00Z: set a later spec\.expiresAt/,
    );
    assert.equal(await secretOf(qa), null);

    await kubectl.apply(apiKey(qa, 'k', { expiresAt: soon(8000) }));
    // Only the time changes.
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
    // The annotation triggers a reconciliation immediately instead of after a minute.
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

  test('has the sign-in of SMTP, and the entries of its template, in its Secret', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const template = (texts: Record<string, string>) => kubectl.apply(apiKey(qa, 'k', { template: texts }));
    const entries = async (): Promise<Record<string, string>> => {
      const { data } = await secretOf(qa);
      return Object.fromEntries(Object.keys(data).map((name) => [name, atob(data[name])]));
    };
    await template({
      MAIL_HOST: '{{host}}',
      MAIL_DSN: 'smtp://{{username}}:{{ password }}@{{host}}:{{port}}',
    });
    await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    const {
      SANDPOST_API_KEY: key,
      SANDPOST_SMTP_HOST: host,
      SANDPOST_SMTP_PORT: port,
      ...others
    } = await entries();
    assert.partialDeepStrictEqual(others, {
      ...{ SANDPOST_SMTP_USERNAME: 'apikey', SANDPOST_SMTP_PASSWORD: key, MAIL_HOST: host },
      ...{ type: 'smtp', provider: 'sandpost', host, port, username: 'apikey', password: key },
      uri: `smtp://apikey:${key}@${host}:${port}`,
      MAIL_DSN: `smtp://apikey:${key}@${host}:${port}`,
    });
    const smtp = await startProcess('smtp', scene.lab.settings);
    try {
      const client = await SmtpClient.open(smtp.ports.smtp);
      const { SANDPOST_SMTP_USERNAME: name, SANDPOST_SMTP_PASSWORD: password } = await entries();
      const words = Buffer.from(`\0${name}\0${password}`).toString('base64');
      assert.match(await client.command(`AUTH PLAIN ${words}`), /^235 /);
    } finally {
      await smtp.kill();
    }

    const mine = JSON.stringify({ stringData: { EXTRA: 'mine' } });
    await kubectl.run('patch', 'secret', 'k', '-n', qa, '--type=merge', '-p', mine);
    await template({ MAIL_HOST: 'at {{host}}' });
    await until(async () => !('MAIL_DSN' in (await entries())), 60_000, 100);
    assert.partialDeepStrictEqual(await entries(), {
      MAIL_HOST: `at ${host}`,
      EXTRA: 'mine',
      SANDPOST_API_KEY: key,
    });

    await template({ MAIL_HOST: '{{hots}}' });
    const reason = 'UnknownPlaceholder';
    const { status } = await conditionIs(kubectl, ['apikey', qa, 'k'], {
      type: 'Ready',
      status: 'False',
      reason,
    });
    assert.match(JSON.stringify(status.conditions), /spec\.template\.MAIL_HOST contains \{\{hots\}\}/);
    assert.equal((await entries()).MAIL_HOST, `at ${host}`);

    await template({ MAIL_FROM: '{{address}}' });
    const waiting = { type: 'Ready', status: 'False', reason: 'AddressMissing' };
    await conditionIs(kubectl, ['apikey', qa, 'k'], waiting);
    await kubectl.apply(...oneOfEach(qa).slice(0, 2));
    await conditionIs(kubectl, ['apikey', qa, 'k'], stored, 30_000);
    const { MAIL_HOST, MAIL_FROM, EXTRA } = await entries();
    assert.deepEqual([MAIL_HOST, MAIL_FROM, EXTRA], [undefined, `qa@${qa}.test`, 'mine']);
    await kubectl.apply(apiKey(qa, 'k', {}));
    await until(async () => !('MAIL_FROM' in (await entries())), 60_000, 100);
    assert.equal((await entries()).EXTRA, 'mine');
  });

  test('is replaced at its age, and the key before it works until the next rotation', async (t) => {
    const { kubectl, settings } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const [api, mongo] = [
      await startProcess('api', settings),
      new MongoClient(settings.SANDPOST_MONGODB_URI ?? ''),
    ];
    t.after(() => Promise.all([api.kill(), mongo.close()]));
    const rows = mongo.db().collection<{ _id: number }>('apiKeys');
    const works = async (key: string) =>
      (await fetch(`http://127.0.0.1:${api.ports.http}/api/messages`, { headers: { 'x-api-key': key } }))
        .status;
    const age = async (id: number, set: object) => {
      await rows.updateOne({ _id: id }, { $set: set });
      // The annotation triggers a reconciliation immediately instead of after a minute.
      await kubectl.run('annotate', '--overwrite', 'apikey/k', '-n', qa, `touched=${Date.now()}`);
    };
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

    await kubectl.apply(apiKey(qa, 'k', { rotateAfter: '2h', template: { MAIL_PASSWORD: '{{password}}' } }));
    const { status } = await conditionIs(kubectl, ['apikey', qa, 'k'], stored);
    const first = await keyOf(qa);
    assert.equal(Date.parse(status.rotatesAt) - (first?.createdAt.getTime() ?? 0), 7_200_000);
    const [earlier, label] = [await keyValue(qa), { metadata: { labels: { team: 'shop' } } }];
    await kubectl.run('patch', 'secret', 'k', '-n', qa, '--type=merge', '-p', JSON.stringify(label));

    await age(status.tokenId, { createdAt: hoursAgo(3) });
    await until(
      async () => (await kubectl.get('apikey', qa, 'k')).status.previousTokenId !== undefined,
      60_000,
      100,
    );
    const value = await keyValue(qa);
    assert.notEqual(value, earlier);
    assert.deepEqual([await works(earlier), await works(value)], [200, 200]);
    const after = (await kubectl.get('apikey', qa, 'k')).status;
    assert.equal(after.previousTokenId, status.tokenId);
    assert.equal(after.previousExpiresAt, after.rotatesAt);
    const { data, metadata } = await secretOf(qa);
    assert.equal(atob(data.MAIL_PASSWORD), value);
    assert.equal(metadata.labels.team, 'shop', 'labels of others stay');

    await age(status.tokenId, { expiresAt: hoursAgo(1) });
    await until(
      async () => (await kubectl.get('apikey', qa, 'k')).status.previousTokenId === undefined,
      60_000,
      100,
    );
    await until(async () => (await works(earlier)) === 401);
    assert.equal(await works(value), 200);
    const owner = await scene.lab.tenant(qa);
    assert.equal((await scene.lab.store.rows.read('managedKeys', { team: owner })).length, 1);
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
    // A restored Secret refers to the earlier ApiKey, by another writer.
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
