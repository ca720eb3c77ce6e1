import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { loadYaml } from '@kubernetes/client-node';
import {
  account,
  apiKey,
  domain,
  inbox,
  mailExpectation,
} from '#test/support/kubernetes/custom-resources.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';

const page = readFileSync('docs/platforms.md', 'utf8');
const [, configMap = ''] = /^## Argo CD[\s\S]*?^```yaml\n([\s\S]*?)^```/m.exec(page) ?? [];
type ConfigMap = { data: { 'resource.customizations': string } };
const customizations = loadYaml<ConfigMap>(configMap).data['resource.customizations'];
const script = loadYaml<{ 'sandpost.dev/*': { 'health.lua': string } }>(customizations)['sandpost.dev/*'];

/** Writes a value as a Lua expression. */
function luaOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`;
  if (typeof value !== 'object' || value === null)
    return value === null ? 'nil' : JSON.stringify(value).replaceAll('\\n', ' ');
  return `{${Object.entries(value).map(([key, one]) => `[${JSON.stringify(key)}] = ${luaOf(one)}`)}}`;
}

/** Runs the page's script on a resource, as Argo CD does, which contains Lua 5.1. */
function healthOf(resource: unknown): [status: string, message: string] {
  const program = `obj = ${luaOf(resource)}
local health = (function() ${script['health.lua']} end)()
print(health.status) print(health.message)`;
  const [status = '', message = ''] = execFileSync('lua5.1', ['-'], {
    input: program,
    encoding: 'utf8',
  }).split('\n');
  return [status, message];
}

suite('GitOps tools', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  test("Argo CD's health of each state of a resource, by the script of the page", async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const to = `qa@${qa}.test`;
    await kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test` }),
      domain(qa, 'off', { domain: `off.${qa}.test`, active: false }),
      account(qa, 'a', { address: to }),
      account(qa, 'lost', { address: `qa@lost.${qa}.test` }),
      account(qa, 'full', { address: `full@${qa}.test`, storageLimit: '0' }),
      apiKey(qa, 'k', {}),
      inbox(qa, 'i', { domain: 'd' }),
      mailExpectation(qa, 'waiting', { to }),
      mailExpectation(qa, 'late', { to, within: '1s' }),
    );
    const expected = [
      ['domain', 'd', { type: 'Ready', status: 'True' }, 'Healthy'],
      ['domain', 'off', { type: 'Ready', status: 'True' }, 'Suspended'],
      ['account', 'a', { type: 'Ready', status: 'True' }, 'Healthy'],
      ['account', 'lost', { type: 'Ready', status: 'False' }, 'Progressing'],
      ['account', 'full', { type: 'Full', status: 'True' }, 'Degraded'],
      ['apikey', 'k', { type: 'Ready', status: 'True' }, 'Healthy'],
      ['inbox', 'i', { type: 'Ready', status: 'True' }, 'Healthy'],
      ['mailexpectation', 'waiting', { type: 'Met', reason: 'Waiting' }, 'Progressing'],
      ['mailexpectation', 'late', { type: 'Failed', reason: 'Expired' }, 'Degraded'],
    ] as const;
    for (const [kind, name, condition, status] of expected) {
      const resource = await conditionIs(kubectl, [kind, qa, name], condition);
      const [health, message] = healthOf(resource);
      assert.equal(health, status, `${kind} ${name}: ${message}`);
      assert.ok(message.length > 5, message);
    }
    const changed = await kubectl.get('domain', qa, 'd');
    changed.metadata.generation += 1;
    assert.deepEqual(healthOf(changed), ['Progressing', 'Waiting for the operator']);
  });

  test('a second server-side apply changes nothing, defaults of the definitions included', async () => {
    const { kubectl } = scene.lab;
    const qa = await scene.lab.newNamespace();
    const resources = [
      domain(qa, 'd', { domain: `${qa}.test` }),
      account(qa, 'a', { address: `qa@${qa}.test` }),
      apiKey(qa, 'k', {}),
      inbox(qa, 'i', { domain: 'd' }),
      mailExpectation(qa, 'e', { to: `qa@${qa}.test` }),
    ];
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources });
    const apply = (verb: string) =>
      kubectl.try([verb, '--server-side', '--field-manager=argocd-controller', '-f', '-'], input);
    assert.equal((await apply('apply')).code, 0);
    for (const { kind, metadata } of resources) {
      await conditionIs(kubectl, [kind.toLowerCase(), qa, metadata.name], { type: 'Ready', status: 'True' });
    }
    // Not the resource version, since the operator may change the status meanwhile.
    const applied = () =>
      Promise.all(
        resources.map(async ({ kind, metadata: { name } }) => {
          const { generation, managedFields } = (await kubectl.get(kind.toLowerCase(), qa, name)).metadata;
          return [generation, managedFields.filter((fields: Json) => fields.subresource !== 'status')];
        }),
      );
    const before = await applied();
    const { code, stdout } = await apply('diff');
    assert.equal(code, 0, stdout);
    assert.equal((await apply('apply')).code, 0);
    assert.deepEqual(await applied(), before);
  });
});
