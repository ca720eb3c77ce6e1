import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { createDomain } from '#core/domains/create-domain.ts';
import { makeCertificates } from '#test/support/kubernetes/certificates.ts';
import { account, apiKey, domain } from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { quotas } from '#test/support/program/quotas.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const refused = { type: 'Ready', status: 'False' };

suite('a refusal shows in a condition and an Event', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  /** Waits for a condition and a warning Event with the same message. Returns the message. */
  const sentence = async (kind: string, namespace: string, name: string, reason: string): Promise<string> => {
    const found = await conditionIs(scene.lab.kubectl, [kind, namespace, name], { ...refused, reason });
    const { message } = found.status.conditions.find(({ type }: { type: string }) => type === 'Ready');
    await until(
      async () => {
        const events = await scene.lab.kubectl.list('events', namespace);
        const announced = events.filter(
          (event) => event.involvedObject.name === name && event.reason === reason,
        );
        return announced.length === 1 && announced[0].type === 'Warning' && announced[0].message === message;
      },
      60_000,
      100,
    );
    return message;
  };

  test('a name of another namespace is refused until it is free', async () => {
    const { kubectl, store } = scene.lab;
    const [first, second] = [await scene.lab.newNamespace(), await scene.lab.newNamespace()];
    await kubectl.apply(domain(first, 'mine', { domain: 'taken.test' }));
    await conditionIs(kubectl, ['domain', first, 'mine'], ready);
    await kubectl.apply(domain(second, 'theirs', { domain: 'taken.test' }));
    const message = await sentence('domain', second, 'theirs', 'NameTaken');
    assert.match(message, /^taken\.test belongs to another namespace or user: choose another name/);
    const { status } = await kubectl.get('domain', second, 'theirs');
    assert.ok(
      status.conditions.some(
        ({ type, status }: { type: string; status: string }) => type === 'Stalled' && status === 'True',
      ),
    );
    assert.equal(
      await store.rows.read('domain', { team: await scene.lab.tenant(second), domain: 'taken.test' }),
      null,
    );
    await kubectl.run('delete', '-n', first, 'domain/mine', '--timeout=60s');
    await conditionIs(kubectl, ['domain', second, 'theirs'], ready);
    // Deleting the refused resource leaves the other's domain unchanged.
    await kubectl.apply(domain(first, 'late', { domain: 'taken.test' }));
    await conditionIs(kubectl, ['domain', first, 'late'], { ...refused, reason: 'NameTaken' });
    await kubectl.run('delete', '-n', first, 'domain/late', '--timeout=60s');
    assert.ok(
      await store.rows.read('domain', { team: await scene.lab.tenant(second), domain: 'taken.test' }),
    );
  });

  test('a name of another resource, or of a domain created by the API, is refused', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(domain(qa, 'one', { domain: 'twice.test' }));
    await conditionIs(kubectl, ['domain', qa, 'one'], ready);
    await kubectl.apply(domain(qa, 'two', { domain: 'twice.test' }));
    assert.match(
      await sentence('domain', qa, 'two', 'Duplicate'),
      new RegExp(`^the Domain ${qa}/one already manages twice\\.test:`),
    );

    const owner = await scene.lab.tenant(qa);
    const byHand = { name: 'hand.test', verified: true, active: true, managedBy: null };
    const ports = { ...store, quotas, domainSuffixes: [], clock: () => new Date() };
    await createDomain(ports, owner, byHand);
    await kubectl.apply(domain(qa, 'hand', { domain: 'hand.test' }));
    assert.match(
      await sentence('domain', qa, 'hand', 'ManagedByApi'),
      /created through the API: delete it there/,
    );
    await kubectl.run('delete', '-n', qa, 'domain/hand', 'domain/two', '--timeout=60s');
    assert.ok(
      await store.rows.read('domain', { team: owner, domain: 'hand.test' }),
      'the domain of the API stays',
    );
    assert.ok(
      await store.rows.read('domain', { team: owner, domain: 'twice.test' }),
      'the domain of the other resource stays',
    );
  });

  test('an account on a domain of another namespace is refused, and one before its domain waits', async () => {
    const { kubectl } = scene.lab;
    const [qa, other] = [await scene.lab.newNamespace(), await scene.lab.newNamespace()];
    await kubectl.apply(domain(other, 'd', { domain: 'foreign.test' }));
    await conditionIs(kubectl, ['domain', other, 'd'], ready);
    await kubectl.apply(account(qa, 'a', { address: 'qa@foreign.test' }));
    const message = await sentence('account', qa, 'a', 'DomainMissing');
    assert.equal(message, `the namespace ${qa} has no domain foreign.test: create a Domain for it`);

    await kubectl.apply(account(qa, 'early', { address: 'qa@early.test' }));
    await sentence('account', qa, 'early', 'DomainMissing');
    await kubectl.apply(domain(qa, 'early', { domain: 'early.test' }));
    await conditionIs(kubectl, ['account', qa, 'early'], ready);
    // The account waits again after its domain is deleted.
    await kubectl.run('delete', '-n', qa, 'domain/early', '--timeout=60s');
    await conditionIs(kubectl, ['account', qa, 'early'], { ...refused, reason: 'DomainMissing' });
  });

  test('a second catch-all account is refused', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(
      domain(qa, 'd', { domain: 'catch.test' }),
      account(qa, 'all', { address: '*@catch.test' }),
    );
    await conditionIs(kubectl, ['account', qa, 'all'], ready);
    await kubectl.apply(account(qa, 'too', { address: 'too@catch.test', catchAll: true }));
    assert.match(await sentence('account', qa, 'too', 'Refused'), /already has a catch-all account/);
  });

  test('a Secret beyond a quota is refused until the quota allows it', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.run('create', 'quota', 'none', '-n', qa, '--hard=count/secrets=0');
    // The test writes the used amount because the quota controller does not run here.
    const used = { hard: { 'count/secrets': '0' }, used: { 'count/secrets': '0' } };
    const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status: used })];
    await kubectl.run('patch', 'quota', 'none', '-n', qa, ...patch);
    await kubectl.apply(apiKey(qa, 'k', {}));
    const message = await sentence('apikey', qa, 'k', 'SecretRefused');
    assert.match(message, /the API server refused the Secret k: .*exceeded quota: none/);
    await kubectl.run('delete', 'quota', 'none', '-n', qa);
    await conditionIs(kubectl, ['apikey', qa, 'k'], { ...ready, reason: 'Stored' });
  });

  test('entries of a Secret that an admission webhook removes are named until it ends', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await using webhook = await removingWebhook(['host', 'uri']);
    await kubectl.apply(webhook.configurationFor(qa));
    await kubectl.apply(apiKey(qa, 'k', {}));
    const message = await sentence('apikey', qa, 'k', 'SecretChanged');
    assert.match(
      message,
      /^the API server stored the Secret k without the operator's value of host, uri\. An admission webhook/,
    );
    await kubectl.run('delete', 'mutatingwebhookconfiguration', qa);
    await conditionIs(kubectl, ['apikey', qa, 'k'], { ...ready, reason: 'Stored' });
    assert.ok((await kubectl.get('secret', qa, 'k')).data.uri);
  });

  test('resources with the longest names have Events, whose names are cut at a hyphen or a dot', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    for (const [i, cut] of ['-', '.'].entries()) {
      const name = `${'a'.repeat(229)}${cut}${'b'.repeat(10)}`;
      await kubectl.apply(domain(qa, name, { domain: `long-${i}.${qa}.test` }));
      await conditionIs(kubectl, ['domain', qa, name], ready);
      const announced = (await kubectl.list('events', qa)).filter(
        ({ involvedObject }) => involvedObject.name === name,
      );
      assert.ok(announced.some(({ reason }) => reason === 'Active'));
    }
  });

  test('a Secret of another owner stays unchanged', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.run('create', 'secret', 'generic', 'taken', '-n', qa, '--from-literal=mine=yes');
    await kubectl.apply(apiKey(qa, 'k', { secretName: 'taken' }));
    assert.match(await sentence('apikey', qa, 'k', 'SecretExists'), /the Secret taken already exists/);
    await kubectl.run('delete', '-n', qa, 'apikey/k', '--timeout=60s');
    assert.deepEqual((await kubectl.get('secret', qa, 'taken')).data, { mine: 'eWVz' });
    assert.deepEqual(await store.rows.read('managedKeys', { team: await scene.lab.tenant(qa) }), []);
  });
});

/** Starts an admission webhook that removes entries from a namespace's Secrets. */
async function removingWebhook(entries: string[]) {
  const { ca, cert, key } = await makeCertificates();
  const server = createServer({ cert: await readFile(cert), key: await readFile(key) });
  server.on('request', async (request, response) => {
    const { apiVersion, kind, request: asked } = (await json(request)) as Json;
    const there = entries.filter((entry) => asked.object.data?.[entry] !== undefined);
    const patch = btoa(JSON.stringify(there.map((entry) => ({ op: 'remove', path: `/data/${entry}` }))));
    const answer = { uid: asked.uid, allowed: true, patchType: 'JSONPatch', patch };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ apiVersion, kind, response: answer }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const caBundle = (await readFile(ca)).toString('base64');
  return {
    configurationFor: (namespace: string) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: namespace },
      webhooks: [
        {
          ...{ name: 'remove.sandpost.test', sideEffects: 'None', admissionReviewVersions: ['v1'] },
          clientConfig: { url, caBundle },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              resources: ['secrets'],
            },
          ],
        },
      ],
    }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
