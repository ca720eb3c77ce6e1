import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { createApiKey } from '#core/access/api-keys.ts';
import { hashSecret } from '#core/access/secrets.ts';
import { createDomain } from '#core/domains/create-domain.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { account, apiKey, domain, inbox, namespace } from '#test/support/kubernetes/custom-resources.ts';
import { KilledOperator } from '#test/support/kubernetes/killed-operator.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs } from '#test/support/kubernetes/operator-lab.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { deliverOne, transmit } from '#test/support/program/program-mail.ts';
import { quotas } from '#test/support/program/quotas.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True', reason: 'Active' };
const whole = { page: 1, limit: 100 };

/** Kill points: before and after writes to the Kubernetes API. Writes to the store occur between them. */
const ofCreation = ['after POST secrets', 'before PATCH inboxes/i/status', 'after PATCH inboxes/i/status'];
const ofDeletion = ['before DELETE secrets/i', 'after DELETE secrets/i', 'before PATCH inboxes/i'];

suite('an Inbox', { skip: noKubernetes }, () => {
  let killed: KilledOperator;
  let api: Process;
  let smtp: Process;
  before(async () => {
    killed = await KilledOperator.start();
    const { settings, server } = killed.lab;
    [api, smtp] = await Promise.all([
      startProcess('api', settings),
      startProcess('smtp', settings),
      server.startControllers(),
    ]);
  });
  after(async () => {
    await Promise.all([api.kill(), smtp.kill()]);
    await killed[Symbol.asyncDispose]();
  });

  const client = (key: string) => {
    const httpPort = api.ports.http;
    return new HttpClient({ baseUrl: `http://127.0.0.1:${httpPort}`, httpPort }, { 'x-api-key': key });
  };
  const send = (mail: { to: string; text?: string }) => deliverOne({ smtpPort: smtp.ports.smtp }, mail);
  /** Creates a namespace with a domain of the same name. */
  const newNamespace = async () => {
    const qa = await killed.lab.newNamespace();
    await killed.lab.kubectl.apply(domain(qa, 'd', { domain: `${qa}.test` }));
    return qa;
  };
  const is = (qa: string, condition: Parameters<typeof conditionIs>[2], name = 'i') =>
    conditionIs(killed.lab.kubectl, ['inbox', qa, name], condition);
  const entriesOf = async (qa: string, name = 'i'): Promise<Record<string, string>> => {
    const { data } = await killed.lab.kubectl.get('secret', qa, name);
    return Object.fromEntries(Object.entries(data).map(([entry, value]) => [entry, atob(String(value))]));
  };
  /** Triggers a reconciliation immediately instead of after a minute. */
  const touch = (qa: string, name = 'i') =>
    killed.lab.kubectl.run('annotate', '--overwrite', `inbox/${name}`, '-n', qa, `touched=${Date.now()}`);
  /** Returns a namespace's accounts and keys, by their managers. */
  const storedIn = async (qa: string) => {
    const owner = await killed.lab.tenant(qa);
    const { accounts, rows } = killed.lab.store;
    const found = [
      ...(await accounts.list(owner, {}, whole)).items,
      ...(await rows.list('apiKeys', { team: owner }, whole)).items,
    ];
    return found.map(({ managedBy }) => managedBy).sort();
  };

  test('gives a Job an address and a key to its mail alone, and goes with the Job', async () => {
    const { kubectl, store } = killed.lab;
    const qa = await killed.lab.newNamespace();
    const container = { name: 'test', image: 'test', envFrom: [{ secretRef: { name: 'i' } }] };
    await kubectl.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { namespace: qa, name: 'job' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
    });
    const job = await kubectl.get('job', qa, 'job');
    const made = inbox(qa, 'i', { domain: `${qa}.test`, addressPrefix: 'Sign-up' });
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: job.metadata.uid };
    // A file may contain a namesake of each kind, with the Domain last.
    await kubectl.apply(
      { ...made, metadata: { ...made.metadata, ownerReferences: [owner] } },
      inbox(qa, 'other', { domain: `${qa}.test` }),
      account(qa, 'i', { address: `qa@${qa}.test` }),
      apiKey(qa, 'i', { secretName: 'full' }),
      domain(qa, 'd', { domain: `${qa}.test` }),
    );
    await kubectl.ready(qa, ['inbox/i', 'inbox/other', 'account/i', 'apikey/i']);
    const { status } = await is(qa, ready);
    const entries = await entriesOf(qa);
    const { SANDPOST_ADDRESS: to = '', SANDPOST_API_KEY: key = '' } = entries;
    assert.match(to, new RegExp(`^sign-up-[0-9a-f]{24}@${qa}\\.test$`));
    assert.deepEqual([status.address, status.secretName], [to, 'i']);
    assert.deepEqual(Object.keys(entries).sort(), [
      ...['SANDPOST_ADDRESS', 'SANDPOST_API_KEY', 'SANDPOST_SMTP_HOST', 'SANDPOST_SMTP_PASSWORD'],
      ...['SANDPOST_SMTP_PORT', 'SANDPOST_SMTP_USERNAME', 'SANDPOST_URL', 'host', 'password', 'port'],
      ...['provider', 'type', 'uri', 'username'],
    ]);

    const [reader, full] = [client(key), client((await entriesOf(qa, 'full')).SANDPOST_API_KEY ?? '')];
    const link = 'https://app.test/verify?token=7';
    const foreign = [
      await send({ to: `qa@${qa}.test` }),
      await send({ to: (await entriesOf(qa, 'other')).SANDPOST_ADDRESS ?? '' }),
    ];
    const id = await send({ to, text: `Your code is 482913. Confirm your address: ${link}` });
    const { items } = (await reader.get('/api/messages')).json;
    assert.deepEqual(
      items.map((item: Json) => [item.id, item.code]),
      [[id, '482913']],
    );
    assert.equal((await reader.get(`/api/messages/${id}`)).status, 200);
    for (const one of foreign) assert.equal((await reader.get(`/api/messages/${one}`)).status, 404);
    assert.equal((await reader.delete(`/api/messages/${id}`)).status, 403);
    const tokens: Json[] = (await full.get('/api/tokens')).json.items;
    const token = tokens.find((one) => one.id === status.tokenId);
    assert.deepEqual(token.account_ids, [status.accountId]);
    await until(async () => (await kubectl.get('inbox', qa, 'i')).status.code === '482913', 120_000, 100);
    assert.equal((await is(qa, ready)).status.link, link);
    assert.match(await kubectl.run('get', 'spinbox', '-n', qa), /i +sign-up-\S+ +True +Active +482913/);
    const refused = await full.delete(`/api/accounts/${status.accountId}`);
    assert.equal(refused.status, 422);
    assert.match(refused.body.toString(), new RegExp(`${qa}/i/Inbox`));
    assert.equal((await full.delete(`/api/tokens/${status.tokenId}`)).status, 422);

    await kubectl.run('delete', 'job', 'job', '-n', qa, '--timeout=60s');
    await until(async () => (await kubectl.get('inbox', qa, 'i')) === null, 120_000, 100);
    await until(async () => (await kubectl.get('secret', qa, 'i')) === null, 120_000, 100);
    assert.deepEqual(await storedIn(qa), [`${qa}/i`, `${qa}/i`, `${qa}/other/Inbox`, `${qa}/other/Inbox`]);
    assert.equal((await reader.get('/api/messages')).status, 401);
    assert.equal((await full.get(`/api/messages/${id}`)).status, 404);
    await assert.rejects(transmit({ smtpPort: smtp.ports.smtp }, { to }), /550/);
    assert.equal((await store.accounts.list(await killed.lab.tenant(qa), {}, whole)).total, 2);
    await kubectl.run('delete', 'namespace', qa, '--timeout=120s');
    await until(async () => (await storedIn(qa)).length === 0, 60_000, 100);
  });

  test('is made once and removed whole by an operator that is killed at any point', async () => {
    const { kubectl, store } = killed.lab;
    const qa = await newNamespace();
    await killed.through(
      ofCreation,
      () => kubectl.apply(inbox(qa, 'i', { domain: `${qa}.test` })),
      async () => (await is(qa, ready)) !== null,
    );
    assert.deepEqual(await storedIn(qa), [`${qa}/i/Inbox`, `${qa}/i/Inbox`]);
    const { status } = await is(qa, ready);
    const { SANDPOST_API_KEY: key = '', SANDPOST_ADDRESS: address } = await entriesOf(qa);
    const stored = (await store.apiKeys.findByHash(hashSecret(key)))?.key;
    assert.deepEqual([stored?.id, stored?.accountIds], [status.tokenId, [status.accountId]]);
    assert.equal(address, status.address);

    await killed.through(
      ofDeletion,
      () => kubectl.run('delete', 'inbox/i', '-n', qa, '--wait=false'),
      async () => (await kubectl.get('inbox', qa, 'i')) === null,
    );
    assert.deepEqual(await storedIn(qa), []);
    assert.equal(await kubectl.get('secret', qa, 'i'), null);
    await kubectl.apply(inbox(qa, 'i', { domain: `${qa}.test` }));
    assert.notEqual((await is(qa, ready)).status.address, address, 'a later Inbox has an address of its own');
  });

  test('takes no domain of another namespace, and one of its own by the name of the Domain', async () => {
    const { kubectl } = killed.lab;
    const [victim, qa] = [await newNamespace(), await killed.lab.newNamespace()];
    await kubectl.ready(victim, ['domain/d']);
    await kubectl.apply(
      inbox(qa, 'i', { domain: `${victim}.test` }),
      inbox(qa, 'below', { domain: `sub.${victim}.test` }),
      inbox(qa, 'path', { domain: 'x..domains' }),
      inbox(qa, 'named', { domain: 'd' }),
    );
    for (const name of ['i', 'below', 'path', 'named'])
      await is(qa, { type: 'Ready', status: 'False', reason: 'DomainMissing' }, name);
    assert.deepEqual(await storedIn(victim), []);
    assert.equal(await kubectl.get('secret', qa, 'i'), null);
    await kubectl.apply(domain(qa, 'd', { domain: `${qa}.test` }));
    const { status } = await is(qa, ready, 'named');
    assert.match(status.address, new RegExp(`@${qa}\\.test$`));
  });

  test('leaves the Secret of another alone, and repairs its own', async () => {
    const { kubectl, store } = killed.lab;
    const qa = await newNamespace();
    const foreign = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: qa, name: 'taken' } };
    await kubectl.apply({ ...foreign, stringData: { mine: 'x' } });
    await kubectl.apply(inbox(qa, 'i', { domain: 'd', secretName: 'shared' }));
    await is(qa, ready);
    const before = await entriesOf(qa, 'shared');
    await kubectl.apply(
      inbox(qa, 'second', { domain: 'd', secretName: 'shared' }),
      inbox(qa, 'third', { domain: 'd', secretName: 'taken' }),
    );
    for (const name of ['second', 'third'])
      await is(qa, { type: 'Ready', status: 'False', reason: 'SecretExists' }, name);
    assert.deepEqual([await entriesOf(qa, 'shared'), await entriesOf(qa, 'taken')], [before, { mine: 'x' }]);
    assert.deepEqual(await storedIn(qa), [`${qa}/i/Inbox`, `${qa}/i/Inbox`]);

    const owner = await killed.lab.tenant(qa);
    const ports = { rows: store.rows, clock: () => new Date() };
    const { value } = await createApiKey(ports, owner, { name: 'full', createdBy: null });
    const change = { stringData: { SANDPOST_API_KEY: value, SANDPOST_ADDRESS: 'a@b.test', EXTRA: 'mine' } };
    await kubectl.run('patch', 'secret', 'shared', '-n', qa, '--type=merge', '-p', JSON.stringify(change));
    await touch(qa);
    await until(
      async () => (await entriesOf(qa, 'shared')).SANDPOST_ADDRESS === before.SANDPOST_ADDRESS,
      60_000,
      100,
    );
    const { SANDPOST_API_KEY: key = '', EXTRA: extra } = await entriesOf(qa, 'shared');
    assert.equal(extra, 'mine');
    assert.ok(key !== value && key !== before.SANDPOST_API_KEY);
    await until(async () => (await client(key).get('/api/messages')).status === 200, 60_000, 100);
    assert.equal((await client(before.SANDPOST_API_KEY ?? '').get('/api/messages')).status, 401);
    assert.equal((await client(value).get('/api/domains')).status, 200, 'the key of another stays');
  });

  test('has its account again, at the same address, once a domain that went is back', async () => {
    const { kubectl, store } = killed.lab;
    const qa = await newNamespace();
    await kubectl.apply(inbox(qa, 'i', { domain: `${qa}.test` }));
    const { status } = await is(qa, ready);
    const { SANDPOST_API_KEY: key = '' } = await entriesOf(qa);
    await kubectl.run('delete', 'domain/d', '-n', qa, '--timeout=60s');
    await is(qa, { type: 'Ready', status: 'False', reason: 'DomainMissing' });
    assert.deepEqual(await storedIn(qa), []);
    assert.equal((await client(key).get('/api/messages')).status, 401);
    const byHand = { name: `${qa}.test`, verified: true, active: true, managedBy: null };
    const ports = { ...store, quotas, domainSuffixes: [], clock: () => new Date() };
    await createDomain(ports, await killed.lab.tenant(qa), byHand);
    await touch(qa);
    const again = await is(qa, ready);
    assert.equal(again.status.address, status.address);
    assert.notEqual(again.status.accountId, status.accountId);
    await send({ to: status.address });
    assert.equal((await client(key).get('/api/messages')).json.items.length, 1);
  });

  test('is in the docs as the API server accepts it', async () => {
    const { kubectl } = killed.lab;
    const page = readFileSync('docs/inboxes.md', 'utf8');
    const blocks = [...page.matchAll(/```yaml\n([^`]*)```/g)].map(([, yaml]) => yaml);
    assert.ok(blocks.length > 0);
    await kubectl.apply(namespace('team-a'));
    const { code, stderr } = await kubectl.try(
      ['apply', '--dry-run=server', '--validate=strict', '-f', '-'],
      blocks.join('---\n'),
    );
    assert.equal(code, 0, stderr);
  });
});
