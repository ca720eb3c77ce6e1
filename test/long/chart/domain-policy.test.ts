import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { type ApiServer, startApiServer } from '#test/support/kubernetes/api-server.ts';
import { domain } from '#test/support/kubernetes/custom-resources.ts';
import { noHelm, refusalOf, render } from '#test/support/kubernetes/helm.ts';
import { parse } from '#test/support/kubernetes/manifests.ts';
import { until } from '#test/support/runner/until.ts';

const policy = [
  { matchLabels: { team: 'shop', 'example.com/tier': 'test' }, suffixes: ['shop.test', 'shop.example'] },
  { matchLabels: { team: 'shop' }, suffixes: ['any.test'] },
  { matchLabels: {}, suffixes: ['{namespace}.pr.test'] },
];
const spaces = {
  full: { team: 'shop', 'example.com/tier': 'test' },
  half: { team: 'shop', 'example.com/tier': 'prod' },
  none: {},
};

describe('the policy of domains', { skip: noHelm }, () => {
  let server: ApiServer;
  before(async () => {
    server = await startApiServer();
    for (const [name, labels] of Object.entries(spaces))
      await server.kubectl.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    const values = `${server.folder}/policy.json`;
    await writeFile(values, JSON.stringify({ operator: { domainPolicy: policy } }));
    const rendered = parse(await render('sandpost', '-f', values));
    await server.kubectl.apply(
      ...rendered.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy')),
    );
    // The API server notices a policy within seconds.
    await until(async () => (await create('none', 'first.test')) !== '', 60_000, 200);
  });
  after(async () => {
    const all = 'validatingadmissionpolicybindings,validatingadmissionpolicies';
    await server.kubectl.run('delete', all, '--all');
    await server[Symbol.asyncDispose]();
  });

  /** Returns the API server's message about a Domain, or an empty string if it accepts the Domain. */
  async function create(namespace: string, name: string): Promise<string> {
    const manifest = JSON.stringify(domain(namespace, 'd', { domain: name }));
    return (await server.kubectl.try(['create', '--dry-run=server', '-f', '-'], manifest)).stderr;
  }

  const accepted: [string, string[]][] = [
    [
      'full',
      ['shop.test', 'mail.shop.test', 'a.b.shop.example', 'any.test', 'full.pr.test', 'a.full.pr.test'],
    ],
    ['half', ['any.test', 'half.pr.test']],
    ['none', ['none.pr.test']],
  ];
  const refused: [string, string[]][] = [
    [
      'full',
      ['test', 'shop.test.evil.test', 'myshop.test', 'half.pr.test', 'pr.test', 'Shop.Test', 'shop.test.'],
    ],
    ['half', ['shop.test', 'a.shop.example', 'full.pr.test', 'xhalf.pr.test']],
    ['none', ['shop.test', 'any.test', 'full.pr.test']],
  ];
  test('lets each namespace register what its labels allow, and nothing else', async () => {
    for (const [namespace, names] of accepted)
      for (const name of names) assert.equal(await create(namespace, name), '', `${namespace}: ${name}`);
    for (const [namespace, names] of refused)
      for (const name of names) assert.notEqual(await create(namespace, name), '', `${namespace}: ${name}`);
  });

  test('says in a sentence what a namespace may register', async () => {
    assert.match(
      await create('half', 'shop.test'),
      /the namespace half may not register shop\.test, but any\.test, half\.pr\.test and names below/,
    );
  });

  test('follows the labels of a namespace, and leaves its Domains alone', async () => {
    await server.kubectl.apply(domain('full', 'kept', { domain: 'kept.shop.test' }));
    await server.kubectl.run('label', 'namespace', 'full', 'team-');
    await until(async () => (await create('full', 'other.shop.test')) !== '', 60_000, 200);
    await server.kubectl.run('annotate', 'domain/kept', '-n', 'full', 'touched=yes');
    await server.kubectl.run('label', 'namespace', 'full', 'team=shop');
    await until(async () => (await create('full', 'other.shop.test')) === '', 60_000, 200);
  });

  test('takes no value that ends its expression', async () => {
    for (const value of [
      `[{"matchLabels":{"a'":"b"},"suffixes":["c.test"]}]`,
      `[{"matchLabels":{"a":"b'"},"suffixes":["c.test"]}]`,
      `[{"matchLabels":{},"suffixes":["c'.test"]}]`,
      `[{"matchLabels":{},"suffixes":[]}]`,
    ])
      assert.match(
        await refusalOf('--set-json', `operator.domainPolicy=${value}`),
        /values don.t meet the specifications/,
      );
  });
});
