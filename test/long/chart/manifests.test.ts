import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type ApiServer, startApiServer } from '#test/support/kubernetes/api-server.ts';
import { noHelm, render, runHelm } from '#test/support/kubernetes/helm.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { anyResource, parse, podsOf } from '#test/support/kubernetes/manifests.ts';
import { until } from '#test/support/runner/until.ts';

const others = [
  ['monitoring.coreos.com', 'v1', 'ServiceMonitor', 'servicemonitors'],
  ['monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules'],
  ['monitoring.coreos.com', 'v1', 'PodMonitor', 'podmonitors'],
  ['gateway.networking.k8s.io', 'v1', 'HTTPRoute', 'httproutes'],
  ['gateway.networking.k8s.io', 'v1alpha2', 'TCPRoute', 'tcproutes'],
  ['gateway.networking.k8s.io', 'v1alpha2', 'TLSRoute', 'tlsroutes'],
  ['cert-manager.io', 'v1', 'Certificate', 'certificates'],
] as const;
const embedded = 'charts/sandpost/ci/embedded-values.yaml';
const namespace = (name: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

describe('the chart before a real API server', { skip: noHelm }, () => {
  let server: ApiServer;
  before(async () => {
    server = await startApiServer();
    await server.kubectl.apply(
      ...others.map(([group, version, kind, plural]) => anyResource(group, version, kind, plural)),
      ...['sandpost', 'team-a', 'team-b'].map((name) => namespace(name)),
      namespace('guarded', { 'pod-security.kubernetes.io/enforce': 'restricted' }),
    );
    const names = others.map(([group, , , plural]) => `crd/${plural}.${group}`);
    // kubectl ends with an error if a definition has no conditions yet.
    const established = ['wait', '--for=condition=Established', ...names];
    await until(async () => (await server.kubectl.try(established)).code === 0);
  });
  after(() => server[Symbol.asyncDispose]());

  for (const file of globSync('charts/sandpost/ci/*-values.yaml')) {
    test(`takes what ${file} renders, strictly, and each pod where Pod Security is restricted`, async () => {
      // An upgrade renders what an installation does, and the check before it.
      const yaml = await render('sandpost', '--is-upgrade', '-f', file);
      const pods = podsOf(parse(yaml)).map((pod) => ({
        ...pod,
        metadata: { ...pod.metadata, namespace: 'guarded' },
      }));
      assert.ok(pods.length > 0);
      assert.equal(yaml.includes('/check-upgrade.yaml'), file !== embedded);
      const args = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '-f', '-'];
      const documents = [yaml, ...pods.map((pod) => JSON.stringify(pod))].join('\n---\n');
      const { code, stderr } = await server.kubectl.try(args, documents);
      assert.equal(stderr, '');
      assert.equal(code, 0);
    });
  }

  test('every pod has resource requests, and those that call Kubernetes alone have a token', async () => {
    const pods = podsOf(parse(await render('sandpost')));
    const withToken = pods.filter(({ spec }) => spec.automountServiceAccountToken !== false);
    assert.deepEqual(withToken.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']).sort(), [
      'operator',
      'secrets',
      'uninstall',
    ]);
    for (const { metadata, spec } of pods) {
      // A Service named sandpost-smtp would set SANDPOST_SMTP_PORT to tcp://….
      assert.equal(spec.enableServiceLinks, false, metadata.name);
      for (const { resources, securityContext } of spec.containers) {
        assert.ok(resources.requests.cpu && resources.requests.memory, metadata.name);
        assert.ok(resources.limits.memory, metadata.name);
        assert.equal(securityContext.readOnlyRootFilesystem, true, metadata.name);
      }
    }
  });

  test('the embedded store is one pod with a volume, which both Services and all policies select', async () => {
    const all = parse(await render('sandpost', '--set', 'store=embedded'));
    const of = (kind: string) => all.filter((item) => item.kind === kind);
    assert.deepEqual(of('Deployment'), []);
    const [pod, ...others] = of('StatefulSet');
    assert.deepEqual(others, []);
    assert.deepEqual([pod.spec.replicas, pod.spec.podManagementPolicy], [1, 'Parallel']);
    const [container] = pod.spec.template.spec.containers;
    assert.deepEqual(container.args, ['start']);
    const env = Object.fromEntries(container.env.map(({ name, value }: Json) => [name, value]));
    assert.equal(env.SANDPOST_OPERATOR, 'true');
    assert.equal(env.SANDPOST_MONGODB_URI_FILE, undefined);
    const [{ metadata }] = pod.spec.volumeClaimTemplates;
    const mounts = container.volumeMounts.map(({ name, mountPath }: Json) => `${name} ${mountPath}`);
    assert.ok(mounts.includes(`${metadata.name} ${env.SANDPOST_DATA_DIR}`), mounts.join());
    const { labels } = pod.spec.template.metadata;
    const isSelected = (selector: Json) =>
      Object.entries(selector).every(([name, value]) => labels[name] === value);
    for (const { metadata: service, spec } of of('Service')) {
      assert.ok(isSelected(spec.selector), service.name);
      const ports = container.ports.map(({ name }: Json) => name);
      for (const { targetPort } of spec.ports) assert.ok(ports.includes(targetPort), targetPort);
    }
    const components = of('NetworkPolicy').map(
      ({ spec }) => spec.podSelector.matchLabels['app.kubernetes.io/component'],
    );
    assert.deepEqual(components.sort(), ['all', 'secrets', 'test', 'uninstall']);
    const told = JSON.stringify(all);
    for (const store of [/sandpost-(mongodb|redis)/, /27017/, /6379/]) assert.doesNotMatch(told, store);
  });

  test('the Job that runs first has its NetworkPolicy before it', async () => {
    const manifests = parse(await render('sandpost'));
    const [job, policy] = ['Job', 'NetworkPolicy'].map((kind) =>
      manifests.find(
        (item) => item.kind === kind && item.metadata.labels['app.kubernetes.io/component'] === 'secrets',
      ),
    );
    const hookOf = (item: Json) => item.metadata.annotations?.['helm.sh/hook'];
    const weightOf = (item: Json) => Number(item.metadata.annotations['helm.sh/hook-weight']);
    assert.equal(hookOf(policy), hookOf(job));
    assert.ok(weightOf(policy) < weightOf(job));
  });

  test('the API may reach the spam filter, and no other role', async () => {
    const values = 'networkPolicy.enabled=true,spamUrl=spamd://spam.mail.svc:7833';
    const manifests = parse(await render('sandpost', '--set', values));
    const reaching = manifests.filter(
      ({ kind, spec }) =>
        kind === 'NetworkPolicy' &&
        spec.egress.some(({ ports = [] }: Json) => ports.some(({ port }: Json) => port === 7833)),
    );
    assert.deepEqual(
      reaching.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']),
      ['api'],
    );
  });

  for (const [otlpUrl, wanted] of [
    ['http://collector.tracing.svc:4318', 4318],
    ['https://otlp.example.com/otlp', 443],
    ['http://collector', 80],
  ] as const)
    test(`API and SMTP may reach the collector ${otlpUrl}`, async () => {
      const values = `networkPolicy.enabled=true,otlpUrl=${otlpUrl}`;
      const manifests = parse(await render('sandpost', '--set', values));
      const reaching = manifests.filter(
        ({ kind, spec }) =>
          kind === 'NetworkPolicy' &&
          spec.egress.some(
            ({ to, ports = [] }: Json) => !to && ports.some(({ port }: Json) => port === wanted),
          ),
      );
      const roles = reaching.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
      // Others reach the Kubernetes API server at 443.
      const own = wanted === 443 ? roles.filter((role) => role === 'api' || role === 'smtp') : roles;
      assert.deepEqual(own, ['api', 'smtp']);
    });

  test('the first resources that an installation prints are accepted', async () => {
    const notes = await runHelm('install', 'sandpost', 'charts/sandpost', '--dry-run=client');
    const [, resources = ''] = /^kubectl apply -f - <<'EOF'\n(.*?)^EOF$/ms.exec(notes) ?? [];
    const { stdout, stderr } = await server.kubectl.try(
      ['apply', '--dry-run=server', '-n', 'sandpost', '-f', '-'],
      resources,
    );
    assert.equal(stderr, '');
    assert.equal(stdout.match(/created/g)?.length, 3);
  });

  test("the operator's heap is part of its memory limit, unless NODE_OPTIONS are given", async () => {
    const options = async (...set: string[]) =>
      podsOf(parse(await render('sandpost', ...set)))
        .flatMap(({ spec }) => spec.containers.flatMap(({ env = [] }: Json) => env))
        .flatMap(({ name, value }) => (name === 'NODE_OPTIONS' ? [value] : []));
    assert.deepEqual(await options(), ['--max-old-space-size-percentage=37.5']);
    const own = 'operator.env[0].name=NODE_OPTIONS,operator.env[0].value=--trace-warnings';
    assert.deepEqual(await options('--set', own), ['--trace-warnings']);
    assert.deepEqual(await options('--set', 'store=embedded'), []);
  });

  test('a pod is given longer to stop than it takes', async () => {
    const programStopsWithin = 25;
    const deployments = parse(await render('sandpost')).filter(
      ({ metadata, kind }) => kind === 'Deployment' && !metadata.name.endsWith('-redis'),
    );
    assert.equal(deployments.length, 3);
    for (const { spec } of deployments) {
      const { terminationGracePeriodSeconds: grace, containers } = spec.template.spec;
      const preStop = containers[0].lifecycle.preStop.sleep.seconds;
      assert.ok(preStop >= 5 && grace > preStop + programStopsWithin);
      assert.deepEqual(spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 });
    }
  });

  test('SMTP shows true addresses where its Service is seen from outside', async () => {
    const policy = async (...values: string[]) => {
      const yaml = await render('sandpost', '--show-only', 'templates/smtp/service.yaml', ...values);
      const [{ spec }] = parse(yaml);
      return [spec.type, spec.externalTrafficPolicy];
    };
    const mx = ['--set', 'mxHosts={mx.example.com}', '--set'];
    assert.deepEqual(await policy(), ['ClusterIP', undefined]);
    assert.deepEqual(await policy(...mx, 'smtp.service.type=NodePort'), ['NodePort', 'Local']);
    assert.deepEqual(await policy(...mx, 'smtp.service.type=LoadBalancer'), ['LoadBalancer', 'Local']);
  });

  test('a mesh, accounts and objects of a platform are as its values say', async () => {
    const yaml = await render('sandpost', '-f', 'charts/sandpost/ci/platform-values.yaml', '--is-upgrade');
    const manifests = parse(yaml);
    const ofKind = (kind: string) => manifests.filter((item) => item.kind === kind);
    const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name);
    const ports = named('Service', 'sandpost-smtp').spec.ports;
    assert.deepEqual(
      ports.map(({ port, appProtocol }: Json) => [port, appProtocol]),
      [25, 587, 465].map((port) => [port, 'tcp']),
    );
    const reached = ({ spec }: Json) =>
      (spec.ingress ?? []).some((rule: Json) => rule.ports[0].port === 15008);
    const reaching = ({ spec }: Json) => spec.egress.some(({ ports = [] }: Json) => ports[1]?.port === 15012);
    const policies = ofKind('NetworkPolicy').filter(({ spec }) => spec.policyTypes.length === 2);
    assert.equal(policies.filter(reached).length, 5);
    const unexpected = policies.filter((one) => !reaching(one));
    assert.deepEqual(unexpected, []);
    const jobs = ofKind('Job');
    assert.equal(jobs.length, 5);
    for (const { metadata, spec } of jobs)
      assert.equal(spec.template.metadata.labels['sidecar.istio.io/inject'], 'false', metadata.name);
    for (const { metadata } of manifests.filter(({ metadata }) => !/-(more|most)$/.test(metadata.name))) {
      assert.equal(metadata.annotations['example.com/owner'], 'platform', metadata.name);
      assert.equal(metadata.labels['cost-center'], 'mail', metadata.name);
    }
    assert.equal(named('Service', 'sandpost-smtp').metadata.annotations['example.com/a'], 'b');
    const accounts = ofKind('ServiceAccount').map(({ metadata }) => metadata.name);
    assert.deepEqual(accounts.sort(), ['mail-operator', 'sandpost-secrets', 'sandpost-uninstall']);
    const used = podsOf(manifests).map(({ spec }) => spec.serviceAccountName);
    assert.deepEqual([...new Set(used)].sort(), [
      'mail-operator',
      'platform',
      'sandpost-secrets',
      'sandpost-uninstall',
    ]);
    const bound = ofKind('ClusterRoleBinding').flatMap(({ subjects }) =>
      subjects.map(({ name }: Json) => name),
    );
    assert.deepEqual([...new Set(bound)].sort(), ['mail-operator', 'sandpost-uninstall']);
    for (const role of ['api', 'smtp', 'operator']) {
      const { revisionHistoryLimit, template } = named('Deployment', `sandpost-${role}`).spec;
      assert.equal(revisionHistoryLimit, 3);
      assert.deepEqual(
        template.spec.containers.map(({ name }: Json) => name),
        [role, 'log'],
      );
      const { fsGroup, runAsUser, runAsNonRoot } = template.spec.securityContext;
      assert.deepEqual([fsGroup, runAsUser, runAsNonRoot], [10002, 10001, true]);
      const { privileged, readOnlyRootFilesystem } = template.spec.containers[0].securityContext;
      assert.deepEqual([privileged, readOnlyRootFilesystem], [false, true]);
    }
    assert.ok(named('ConfigMap', 'sandpost-more') && named('ConfigMap', 'sandpost-most'));
  });

  test('an image is named by its digest where there is one', async () => {
    const yaml = await render('sandpost', '-f', 'charts/sandpost/ci/pinned-values.yaml');
    const images = podsOf(parse(yaml)).flatMap(({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].map(({ image }) => image),
    );
    assert.ok(images.length > 5);
    assert.deepEqual(
      images.filter((image) => !/^[\w./]+@sha256:([abc])\1{63}$/.test(image)),
      [],
    );
  });

  test('the custom resource definitions are those of crds/, kept at uninstall', async () => {
    const rendered = parse(await render('sandpost', '--show-only', 'templates/crds.yaml'));
    assert.equal(rendered.length, 6);
    for (const { metadata, spec } of rendered) {
      assert.equal(metadata.annotations['helm.sh/resource-policy'], 'keep');
      const source = parse(readFileSync(`crds/${metadata.name}.yaml`, 'utf8'));
      assert.deepEqual(spec, source[0].spec);
    }
  });
});
