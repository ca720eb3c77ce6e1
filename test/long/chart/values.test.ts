import assert from 'node:assert/strict';
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { createMetrics } from '#telemetry/metrics.ts';
import { programVersion } from '#telemetry/program-version.ts';
import { noHelm, refusalOf, render, runHelm } from '#test/support/kubernetes/helm.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { chartReadme } from '../../../charts/write-readme.ts';

const chart = 'charts/sandpost';
const skip = noHelm;

for (const file of globSync(`${chart}/ci/*-values.yaml`)) {
  test(`helm lint finds nothing in ${file}`, { skip }, async () => {
    assert.match(await runHelm('lint', '--strict', '--quiet', chart, '-f', file), /^$/);
  });
}

const provider =
  'oidc.issuer=https://a.test,oidc.clientId=a,oidc.existingSecret.name=a,baseUrl=https://m.test';
const refused: [values: string, sentence: RegExp][] = [
  ['passwordSignIn=false', /at '\/passwordSignIn': value must be true/],
  ['oidc.issuer=https://a.test', /at '\/oidc\/clientId': minLength: got 0, want 1/],
  ['oidc.issuer=https://a.test,oidc.clientId=a', /at '\/baseUrl': '' does not match pattern/],
  ['oidc.groups={dev=Shop:boss}', /at '\/oidc\/groups\/0': 'dev=Shop:boss' does not match pattern/],
  [`${provider},oidc.issuer=http://a.test`, /at '\/oidc\/issuer': 'http:\/\/a\.test' does not match/],
  [`${provider},oidc.issuer=https://u@a.test`, /at '\/oidc\/issuer': 'https:\/\/u@a\.test' does not match/],
  [`${provider},oidc.issuer=https://a.test:65536`, /at '\/oidc\/issuer': .* does not match/],
  [`${provider},oidc.groups={dev=Shop:owner}`, /at '\/oidc\/groupsClaim': minLength: got 0, want 1/],
  [`${provider},oidc.scopes=email`, /at '\/oidc\/scopes': 'email' does not match/],
  [`${provider},oidc.clientId=${'x'.repeat(256)}`, /at '\/oidc\/clientId': maxLength: got 256, want 255/],
  ['oidc.clientId=a', /at '\/oidc\/issuer': minLength: got 0, want 1/],
  ['oidc.existingSecret.name=a', /at '\/oidc\/issuer': minLength: got 0, want 1/],
  ['oidc.allowedEmailDomains={a.test}', /at '\/oidc\/issuer': minLength: got 0, want 1/],
  ['smtp.service.port=465,smtp.tls.secretName=a', /smtp\.service\.port must not be 465 with smtp\.tls/],
  ['api.service.nodePort=30000,smtp.service.nodePort=30000', /smtp\.service\.nodePort must differ/],
  ['smtp.autoscaling.minReplicas=9', /smtp\.autoscaling\.minReplicas must not be more than maxReplicas/],
  ['operator.orphanGracePeriod=0s', /at '\/operator\/orphanGracePeriod': '0s' does not match/],
  ['mongodb.bundled.cacheSizeGB=4', /cacheSizeGB must be at most half of the memory limit \(1536Mi\)/],
  ['operator.orphanGracePeriod=366d', /operator\.orphanGracePeriod must be at most 365d/],
  ['capture=nobody', /at '\/capture': 'nobody' does not match pattern/],
  ['trustedProxies={999.1.1.1/8}', /at '\/trustedProxies\/0': '999\.1\.1\.1\/8' does not match/],
  ['trustedProxies={fd00::/129}', /at '\/trustedProxies\/0': 'fd00::\/129' does not match/],
  ['allowedOrigins={https://a.test?b}', /at '\/allowedOrigins\/0': 'https:\/\/a\.test\?b' does not match/],
  ['spamUrl=spamd://spam', /at '\/spamUrl': 'spamd:\/\/spam' does not match/],
  ['otlpUrl=collector:4318', /at '\/otlpUrl': 'collector:4318' does not match/],
  ['dnsServers={1.1.1.1:65536}', /at '\/dnsServers\/0': '1\.1\.1\.1:65536' does not match/],
  ['baseUrl=https://a.test:65536', /at '\/baseUrl': 'https:\/\/a\.test:65536' does not match/],
  ['bootstrap.email=a@b.c..d', /at '\/bootstrap\/email': 'a@b\.c\.\.d' does not match/],
  ['bootstrap.capture=nobody', /at '\/bootstrap\/capture': 'nobody' does not match pattern/],
  [
    'bootstrap.capture=a@b.test,capture=c@b.test',
    /bootstrap\.capture needs bootstrap\.enabled and an empty capture/,
  ],
  ['bootstrap.capture=a@b.test,bootstrap.enabled=false', /bootstrap\.capture needs bootstrap\.enabled/],
  ['fullnameOverride=A_b', /at '\/fullnameOverride': 'A_b' does not match/],
  ['retentionDays=91', /at '\/retentionDays': maximum: got 91, want 90/],
  ['registration=maybe', /at '\/registration': value must be one of 'open', 'closed'/],
  ['store=sqlite', /at '\/store': value must be one of 'cluster', 'embedded'/],
  ['store=embedded,mongodb.uri=mongodb://a', /store=embedded needs no mongodb: remove its address/],
  ['store=embedded,redis.existingSecret.name=a', /store=embedded needs no redis/],
  ['replicas=2', /additional properties 'replicas' not allowed/],
  ['api.replica=2', /at '\/api': additional properties 'replica' not allowed/],
  ['baseUrl=mail.example.com', /at '\/baseUrl': 'mail.example.com' does not match pattern '\^\(https\?:/],
  ['enabled=false', /at '\/enabled': value must be true/],
  ['imagePullSecrets[0]=', /at '\/imagePullSecrets\/0': minLength: got 0, want 1/],
  ['imagePullSecrets[0].key=a', /at '\/imagePullSecrets\/0': missing property 'name'/],
  ['domainSuffixes={*.test}', /at '\/domainSuffixes\/0': '\*\.test' does not match pattern/],
  ['tls.caBundle=ca.pem', /at '\/tls\/caBundle': 'ca\.pem' does not match pattern '.*BEGIN CERTIFICATE/],
  ['tls.existingSecret.name=a,tls.existingConfigMap.name=b', /set only one of tls\.caBundle, /],
  ['extraVolumes[0].name=tmp', /extraVolumes: the chart already has a volume tmp/],
  ['extraVolumeMounts[0].name=a', /at '\/extraVolumeMounts\/0': missing property 'mountPath'/],
  ['extraContainers[0].name=a', /at '\/extraContainers\/0': missing property 'image'/],
  ['extraObjects[0].kind=ConfigMap', /at '\/extraObjects\/0': missing property 'apiVersion'/],
  [
    'networkPolicy.extraIngressPorts={0}',
    /at '\/networkPolicy\/extraIngressPorts\/0': minimum: got 0, want 1/,
  ],
  ['serviceAccount.name=A_b', /at '\/serviceAccount\/name': 'A_b' does not match/],
  ['operator.serviceAccount.names=a', /at '\/operator\/serviceAccount': additional properties 'names'/],
  ['revisionHistoryLimit=-1', /at '\/revisionHistoryLimit': minimum: got -1, want 0/],
  [
    'jobs.podLabels.app\\.kubernetes\\.io/name=a',
    /jobs\.podLabels: the chart sets app\.kubernetes\.io\/name/,
  ],
  ['extraEnv[0].value=a', /at '\/extraEnv\/0': missing property 'name'/],
  ['extraEnvFrom[0].secret=a', /at '\/extraEnvFrom\/0': additional properties 'secret' not allowed/],
  [
    'smtp.podLabels.app\\.kubernetes\\.io/name=a',
    /smtp\.podLabels: the chart sets app\.kubernetes\.io\/name/,
  ],
  [
    'commonLabels.app\\.kubernetes\\.io/version=a',
    /commonLabels: the chart sets app\.kubernetes\.io\/version/,
  ],
  [
    'fullnameOverride=a-name-of-thirty-eight-characters-here',
    /at '\/fullnameOverride': maxLength: got 38, want 37/,
  ],
  [
    'ingress.enabled=true,baseUrl=https://mail.example.com',
    /trustedProxies is missing: set it to the pod networks \(CIDR\) .* set allowUntrustedProxies=true/,
  ],
  [
    'httpRoute.enabled=true,httpRoute.parentRefs[0].name=a,baseUrl=https://mail.example.com',
    /trustedProxies is missing/,
  ],
  ['ingress.enabled=true', /at '\/baseUrl': '' does not match pattern '\^https\?:\/\/'/],
  ['httpRoute.enabled=true', /at '\/baseUrl': '' does not match pattern '\^https\?:\/\/'/],
  ['smtp.service.type=LoadBalancer', /at '\/mxHosts': minItems: got 0, want 1/],
  ['smtp.proxyFrom={10.0.0.0/33}', /at '\/smtp\/proxyFrom\/0': '10.0.0.0\/33' does not match/],
  ['smtp.service.externalTrafficPolicy=local', /value must be one of 'Local', 'Cluster'/],
  ['operator.watchNamespaces={Team_A}', /at '\/operator\/watchNamespaces\/0': 'Team_A' does not match/],
  [
    'operator.namespaceSelector=a,operator.watchNamespaces={qa}',
    /set only one of operator\.namespaceSelector and operator\.watchNamespaces/,
  ],
  [
    'operator.previews.selector=preview',
    /set both operator\.previews\.selector and operator\.previews\.domain/,
  ],
  [
    'operator.previews.selector=a,operator.previews.domain=pr.test,operator.watchNamespaces={qa}',
    /selector needs all namespaces: remove operator\.watchNamespaces/,
  ],
  ['tcpRoute.enabled=true', /tcpRoute\.parentRefs is missing/],
  ['tlsRoute.enabled=true,tlsRoute.parentRefs[0].name=a', /tlsRoute\.enabled needs smtp\.tls\.secretName/],
  ['smtp.tls.certificate.enabled=true', /smtp\.tls\.certificate\.enabled needs smtp\.tls\.secretName/],
  ['ipFamilyPolicy=Both', /at '\/ipFamilyPolicy': value must be one of/],
  ['image.digest=sha256:abc', /at '\/image\/digest': 'sha256:abc' does not match/],
  ['mongodb.bundled.enabled=false', /mongodb\.existingSecret\.name or mongodb\.uri is missing/],
  ['redis.uri=redis://elsewhere:6379', /redis\.bundled\.enabled must be false if you set an address/],
  [
    'mongodb.bundled.enabled=false,mongodb.uri=mongodb://a/b,mongodb.existingSecret.name=c',
    /set only one of mongodb\.uri and mongodb\.existingSecret\.name/,
  ],
];
for (const [values, sentence] of refused) {
  test(`${values} is refused in words`, { skip }, async () => {
    assert.match(await refusalOf('--set', values), sentence);
  });
}

for (const tag of ['6', '0', '20261124', '9007199254740991', '"0123"', 'v1']) {
  test(`${tag} is a tag of an image`, { skip }, async () => {
    const file = `${await temporaryDir()}/values.yaml`;
    writeFileSync(file, `image: {tag: ${tag}}\nmongodb: {bundled: {image: {tag: ${tag}}}}\n`);
    const plain = tag.replaceAll('"', '');
    for (const set of [
      ['-f', file],
      ['--set', `image.tag=${plain},mongodb.bundled.image.tag=${plain}`],
    ]) {
      const yaml = await render('default', ...set);
      assert.match(yaml, new RegExp(`image: sandpost:${plain}$`, 'm'));
      assert.match(yaml, new RegExp(`image: mongo:${plain}$`, 'm'));
    }
  });
}

test('a large user id is rendered as a whole number', { skip }, async () => {
  const file = `${await temporaryDir()}/values.yaml`;
  writeFileSync(file, 'runAsUser: 1000680000\n');
  assert.match(await render('default', '-f', file), /runAsUser: 1000680000$/m);
});

test('the account that takes mail for anybody is made by both kinds of pods', { skip }, async () => {
  const named = /name: SANDPOST_BOOTSTRAP_CAPTURE, value: "inbox@sandpost\.test"/g;
  const yaml = await render('default', '--set', 'bootstrap.capture=inbox@sandpost.test');
  assert.equal(yaml.match(named)?.length, 2);
  assert.equal(yaml.match(/name: SANDPOST_BOOTSTRAP_EMAIL/g)?.length, 2);
  const without = await render('default');
  assert.equal(without.match(/name: SANDPOST_BOOTSTRAP_/g)?.length, 3);
});

test('a release whose name no Service can have is refused in words', { skip }, async () => {
  await assert.rejects(runHelm('template', '1st', chart), /the name 1st-sandpost: set fullnameOverride/);
  assert.match(await runHelm('template', '1st', chart, '--set', 'fullnameOverride=mail'), /name: mail-api$/m);
});

test('a route without trusted proxies is shown where that is meant', { skip }, async () => {
  const set = 'ingress.enabled=true,baseUrl=https://mail.example.com,allowUntrustedProxies=true';
  assert.match(await render('default', '--set', set), /^kind: Ingress$/m);
});

test('every release name that Helm accepts makes names that Kubernetes accepts', { skip }, async () => {
  const namesOf = async (release: string) => {
    const yaml = await runHelm(
      'template',
      release,
      chart,
      '-n',
      'n'.repeat(63),
      '-f',
      `${chart}/ci/monitored-values.yaml`,
    );
    return [...yaml.matchAll(/^ {2}name: "?([^"\s]+)/gm)].map(([, name = '']) => name);
  };
  const long = `production-email-sandbox-for-team-${'x'.repeat(18)}`;
  const [names, others] = await Promise.all([namesOf(`${long}1`), namesOf(`${long}2`)]);
  assert.equal(`${long}1`.length, 53);
  assert.ok(names.length > 20);
  const clusterWide = (name: string) => name.startsWith('n'.repeat(63)) || name.endsWith('.sandpost.dev');
  const unexpected = names.filter((name) => name.length > 63 && !clusterWide(name));
  assert.deepEqual(unexpected, []);
  // Names that are shortened to the same prefix stay different.
  assert.deepEqual(
    names.filter((name) => others.includes(name) && !name.endsWith('.sandpost.dev')),
    [],
  );
});

test('a parent chart may leave it out by `enabled`', { skip }, async () => {
  const folder = await temporaryDir();
  cpSync(chart, `${folder}/charts/sandpost`, { recursive: true });
  const dependency = `{name: sandpost, version: ${programVersion}, condition: sandpost.enabled}`;
  const parent = `apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies: [${dependency}]\n`;
  writeFileSync(`${folder}/Chart.yaml`, parent);
  const made = (value: boolean) => runHelm('template', 'p', folder, '--set', `sandpost.enabled=${value}`);
  assert.match(await made(true), /kind: Deployment/);
  assert.doesNotMatch(await made(false), /kind:/);
});

// test/long/chart/values-0.1.0.yaml contains that release's values without comments.
test('values of 0.1.0 in place of its own, as by helm upgrade --reuse-values, render the same', {
  skip,
}, async () => {
  const folder = `${await temporaryDir()}/sandpost`;
  cpSync(chart, folder, { recursive: true });
  cpSync('test/long/chart/values-0.1.0.yaml', `${folder}/values.yaml`);
  // Request that was lower in 0.1.0.
  const set = ['--set', 'operator.resources.requests.memory=260Mi'];
  assert.equal(await runHelm('template', 'sandpost', folder, ...set), await render('default', ...set));
  // Set values stay, including empty ones.
  const own = ['--set', 'crds.enabled=false,serviceAccount.create=false,maxWaits=7'];
  const yaml = await runHelm('template', 'sandpost', folder, ...own);
  assert.match(yaml, /SANDPOST_MAX_WAITS: "7"/);
  assert.doesNotMatch(yaml, /kind: CustomResourceDefinition/);
});

test('no link leads out of the chart', () => {
  const links = globSync(`${chart}/**`, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink());
  assert.deepEqual(links, []);
});

for (const [file, source] of [
  ['private-ca', 'configMap'],
  ['cert-manager', 'secret'],
] as const) {
  test(`all roles trust the authorities of ${file}-values.yaml`, { skip }, async () => {
    const yaml = await render('default', '-f', `${chart}/ci/${file}-values.yaml`);
    for (const role of ['api', 'smtp', 'operator']) {
      const from = yaml.indexOf(`# Source: sandpost/templates/${role}/deployment.yaml`);
      const deployment = yaml.slice(from, yaml.indexOf('\n---', from));
      assert.match(deployment, /name: NODE_EXTRA_CA_CERTS, value: \/etc\/sandpost-tls\/authorities\.pem/);
      assert.match(deployment, /name: authorities, mountPath: \/etc\/sandpost-tls/);
      assert.match(deployment, new RegExp(`- name: authorities\\s+${source}:`));
    }
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
  const unexpected = named.filter((name) => !has.has(name.replace(/_(bucket|count|sum)$/, '')));
  assert.deepEqual(unexpected, []);
});

type Schema = { properties?: Record<string, Schema>; $ref?: string; $defs?: Record<string, Schema> };

/** Returns the paths of all properties without nested properties. */
function leaves(schema: Schema, root = schema, at = ''): string[] {
  const target = schema.$ref ? (root.$defs?.[schema.$ref.replace('#/$defs/', '')] ?? {}) : schema;
  if (target.properties === undefined) return [at];
  return Object.entries(target.properties).flatMap(([key, value]) =>
    leaves(value, root, at === '' ? key : `${at}.${key}`),
  );
}
