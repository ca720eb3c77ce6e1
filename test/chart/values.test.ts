import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createMetrics } from '#core/metrics.ts';
import { noHelm, refusalOf, runHelm } from '#test/support/helm.ts';
import { chartReadme } from '../../charts/write-readme.ts';

const chart = 'charts/sandpost';
const skip = noHelm;

for (const file of globSync(`${chart}/ci/*-values.yaml`)) {
  test(`helm lint has nothing to say of ${file}`, { skip }, async () => {
    assert.match(await runHelm('lint', '--strict', '--quiet', chart, '-f', file), /^$/);
  });
}

const refused: [values: string, sentence: RegExp][] = [
  ['retentionDays=91', /at '\/retentionDays': maximum: got 91, want 90/],
  ['registration=maybe', /at '\/registration': value must be one of 'open', 'closed'/],
  ['replicas=2', /additional properties 'replicas' not allowed/],
  ['api.replica=2', /at '\/api': additional properties 'replica' not allowed/],
  ['baseUrl=mail.example.com', /at '\/baseUrl': 'mail.example.com' does not match pattern '\^\(https\?:/],
  ['ingress.enabled=true', /at '\/baseUrl': '' does not match pattern '\^https\?:\/\/'/],
  ['httpRoute.enabled=true', /at '\/baseUrl': '' does not match pattern '\^https\?:\/\/'/],
  ['smtp.service.type=LoadBalancer', /at '\/mxHosts': minItems: got 0, want 1/],
  ['smtp.proxyFrom={10.0.0.0/33}', /at '\/smtp\/proxyFrom\/0': '10.0.0.0\/33' does not match/],
  ['smtp.service.externalTrafficPolicy=local', /value must be one of 'Local', 'Cluster'/],
  ['operator.watchNamespaces={Team_A}', /at '\/operator\/watchNamespaces\/0': 'Team_A' does not match/],
  ['image.digest=sha256:abc', /at '\/image\/digest': 'sha256:abc' does not match/],
  ['mongodb.bundled.enabled=false', /mongodb\.existingSecret\.name or mongodb\.uri is missing/],
  ['redis.uri=redis://elsewhere:6379', /redis\.bundled\.enabled must be false where an address is given/],
  [
    'mongodb.bundled.enabled=false,mongodb.uri=mongodb://a/b,mongodb.existingSecret.name=c',
    /mongodb\.uri and mongodb\.existingSecret\.name exclude each other/,
  ],
];
for (const [values, sentence] of refused) {
  test(`${values} is refused in words`, { skip }, async () => {
    assert.match(await refusalOf('--set', values), sentence);
  });
}

test('the table of values in the README is that of values.yaml', () => {
  assert.equal(readFileSync(`${chart}/README.md`, 'utf8'), chartReadme(), 'run: node charts/write-readme.ts');
});

test('the schema knows each value, and no other', () => {
  const rows = readFileSync(`${chart}/README.md`, 'utf8').matchAll(/^\| `([\w.]+)` \|/gm);
  const known = leaves(JSON.parse(readFileSync(`${chart}/values.schema.json`, 'utf8')));
  for (const [, name = ''] of rows) {
    assert.ok(
      known.some((leaf) => name === leaf || name.startsWith(`${leaf}.`)),
      `${name} is not in values.schema.json`,
    );
  }
});

test('alerts and dashboard name metrics that the program has', async () => {
  const has = new Set((await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name));
  const files = [`${chart}/files/dashboard.json`, `${chart}/templates/monitoring/prometheus-rule.yaml`];
  const named = files.flatMap((file) => readFileSync(file, 'utf8').match(/\bsandpost_[a-z_]+/g) ?? []);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((name) => !has.has(name.replace(/_(bucket|count|sum)$/, ''))),
    [],
  );
});

type Schema = { properties?: Record<string, Schema>; $ref?: string; $defs?: Record<string, Schema> };

/** The paths of all properties that have none of their own. */
function leaves(schema: Schema, root = schema, at = ''): string[] {
  const target = schema.$ref ? (root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}) : schema;
  if (target.properties === undefined) return [at];
  return Object.entries(target.properties).flatMap(([key, value]) =>
    leaves(value, root, at === '' ? key : `${at}.${key}`),
  );
}
