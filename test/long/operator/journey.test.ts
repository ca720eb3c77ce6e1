import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { account, apiKey, domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { startProcess } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };

suite('resources and the objects in the store', { skip: noKubernetes }, () => {
  const scene = operatorScene({ SANDPOST_CLIENT_URL: 'http://sandpost.mail.svc:8080' });

  test('a domain, an account and a key are created, shown, changed and deleted', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    // Users apply resources in any order: the account precedes its domain.
    await kubectl.apply(
      account(qa, 'robot', { address: 'robot@app.test', storageLimit: '1Mi' }),
      apiKey(qa, 'ci-mail', { displayName: 'CI' }),
      domain(qa, 'app', { domain: 'app.test', mxVerified: true, assumedClientIP: '203.0.113.7' }),
    );
    const all = 'domain/app account/robot apikey/ci-mail'.split(' ');
    await kubectl.ready(qa, all);
    await kubectl.run('wait', '-n', qa, '--for=condition=Verified', '--timeout=60s', 'domain/app');

    const owner = await scene.lab.tenant(qa);
    const stored = await store.rows.read('domain', { team: owner, domain: 'app.test' });
    assert.equal(stored?.managedBy, `${qa}/app`);
    const { status } = await conditionIs(kubectl, ['account', qa, 'robot'], ready);
    const robot = await store.accounts.find(owner, status.accountId);
    assert.equal(robot?.storageLimit, 1_048_576);
    assert.deepEqual(status.mailboxes, ['INBOX', 'Sent', 'Trash', 'Drafts', 'Junk']);

    await until(async () => (await kubectl.get('domain', qa, 'app')).status.accounts === 1, 60_000, 100);
    const secret = await kubectl.get('secret', qa, 'ci-mail');
    const entries = Object.fromEntries(
      Object.entries(secret.data).map(([name, value]) => [
        name,
        Buffer.from(String(value), 'base64').toString(),
      ]),
    );
    const { SANDPOST_API_KEY: key = '', ...addresses } = entries;
    assert.deepEqual(addresses, {
      SANDPOST_URL: 'http://sandpost.mail.svc:8080',
      ...{ SANDPOST_SMTP_HOST: 'localhost', SANDPOST_SMTP_PORT: '25' },
      ...{ SANDPOST_SMTP_USERNAME: 'apikey', SANDPOST_SMTP_PASSWORD: key },
      ...{ type: 'smtp', provider: 'sandpost', host: 'localhost', port: '25' },
      ...{ username: 'apikey', password: key, uri: `smtp://apikey:${key}@localhost:25` },
    });
    assert.equal(secret.metadata.ownerReferences[0].name, 'ci-mail');

    const api = await startProcess('api', scene.lab.settings);
    try {
      const httpPort = api.ports.http;
      const client = new HttpClient(
        { baseUrl: `http://127.0.0.1:${httpPort}`, httpPort },
        { 'x-api-key': key },
      );
      const { items } = (await client.get('/api/domains')).json;
      assert.deepEqual(
        items.map((item: Record<string, string>) => [item.domain, item.managed_by, item.assumed_client_ip]),
        [['app.test', 'kubernetes', '203.0.113.7']],
      );
      const refused = await client.delete(`/api/domains/${items[0].id}`);
      assert.equal(refused.status, 422);
      assert.match(refused.body.toString(), new RegExp(`${qa}/app`));
      const [token] = (await client.get('/api/tokens')).json.items;
      assert.equal(token.name, 'CI');
      assert.equal((await client.delete(`/api/tokens/${token.id}`)).status, 422);

      const shown = await kubectl.run('get', 'domains,accounts,apikeys', '-n', qa);
      for (const line of shown.split('\n')) assert.ok(line.length <= 80, `${line.length}: ${line}`);
      assert.match(shown, /app +app\.test +True +True +Active/);

      await kubectl.apply(
        domain(qa, 'app', { domain: 'app.test', active: false }),
        account(qa, 'robot', { address: 'robot@app.test', active: false, storageLimit: 5000 }),
      );
      await conditionIs(kubectl, ['domain', qa, 'app'], { ...ready, reason: 'Inactive' });
      await conditionIs(kubectl, ['account', qa, 'robot'], { ...ready, reason: 'Inactive' });
      const changed = await store.rows.read('domain', { team: owner, domain: 'app.test' });
      assert.equal(changed?.active, false);
      assert.equal(changed?.verification.source, null, 'MX checks decide again');
      assert.equal(changed?.assumedClientIp, null);
      const after = await store.accounts.find(owner, status.accountId);
      assert.deepEqual([after?.active, after?.storageLimit], [false, 5000]);

      const announced = (await kubectl.list('events', qa)).map(
        ({ involvedObject: { kind }, reason }) => `${kind} ${reason}`,
      );
      for (const event of ['Domain Active', 'Domain Inactive', 'Account Active', 'ApiKey Stored'])
        assert.equal(announced.filter((line) => line === event).length, 1, `${event} in ${announced}`);

      await kubectl.run('delete', '-n', qa, '--timeout=60s', ...all);
      assert.equal(await store.rows.read('domain', { team: owner, domain: 'app.test' }), null);
      assert.equal(await store.accounts.find(owner, status.accountId), null);
      assert.equal(await kubectl.get('secret', qa, 'ci-mail'), null);
      assert.equal((await client.get('/api/domains')).status, 401, 'the key is revoked');
    } finally {
      await api.stop();
    }
  });
});
