import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { noHelm, render } from '#test/support/kubernetes/helm.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { parse } from '#test/support/kubernetes/manifests.ts';

describe('the check before an upgrade', { skip: noHelm }, () => {
  const show = ['--show-only', 'templates/check-upgrade.yaml'];
  /** Returns the check's manifests by kind, as in an upgrade. */
  const made = async (...args: string[]): Promise<Record<string, Json[] | undefined>> => {
    const yaml = await render('sandpost', '--is-upgrade', ...show, ...args);
    return Object.groupBy(parse(yaml), ({ kind }) => kind);
  };

  const embedded = 'charts/sandpost/ci/embedded-values.yaml';
  test('is no part of an installation, of manifests without Helm, or of the embedded store, whose volume a Job cannot mount', async () => {
    assert.doesNotMatch(await render('sandpost'), /check-upgrade/);
    assert.doesNotMatch(await render('sandpost', '--is-upgrade', '-f', embedded), /check-upgrade/);
  });

  test('runs the new image once all that it needs is there, and is removed when it has succeeded', async () => {
    const { Job: [job] = [], ...others } = await made(
      '--set',
      'image.tag=new',
      '--set',
      'networkPolicy.enabled=true',
    );
    const weight = (item: Json) => Number(item.metadata.annotations['helm.sh/hook-weight']);
    const secrets = parse(
      await render('sandpost', '--is-upgrade', '--show-only', 'templates/secrets/job.yaml'),
    );
    const before = [...Object.values(others).flatMap((items) => items ?? []), ...secrets];
    for (const item of before) assert.ok(weight(item) < weight(job), item.metadata.name);
    for (const item of [job, ...Object.values(others).flatMap((items) => items ?? [])]) {
      assert.equal(item.metadata.annotations['helm.sh/hook'], 'pre-upgrade');
      const policy = item.metadata.annotations['helm.sh/hook-delete-policy'];
      assert.equal(policy, 'before-hook-creation,hook-succeeded', 'a failed Job stays for its log');
    }
    const { restartPolicy, serviceAccountName, containers } = job.spec.template.spec;
    assert.deepEqual([restartPolicy, serviceAccountName], ['Never', 'sandpost']);
    assert.deepEqual([containers[0].image, containers[0].args], ['sandpost:new', ['check-upgrade']]);
  });

  test('reaches the bundled store, whose policy may not know it yet', async () => {
    const { NetworkPolicy: policies = [], Job: [job] = [] } = await made(
      '--set',
      'networkPolicy.enabled=true',
    );
    const component = (labels: Json) => labels['app.kubernetes.io/component'];
    const own = component(job.spec.template.metadata.labels);
    const [out, into] = policies;
    assert.equal(component(out.spec.podSelector.matchLabels), own);
    const ports = out.spec.egress.flatMap((rule: Json) => rule.ports.map(({ port }: Json) => port));
    assert.ok(ports.includes(53) && ports.includes(27017));
    assert.equal(component(into.spec.podSelector.matchLabels), 'mongodb');
    assert.equal(component(into.spec.ingress[0].from[0].podSelector.matchLabels), own);
  });

  test('takes addresses and authorities of the new values, not those of the release before', async () => {
    const { Secret: [secret] = [], Job: [job] = [] } = await made(
      '-f',
      'charts/sandpost/ci/addresses-values.yaml',
    );
    assert.match(secret.stringData['mongodb-uri'], /^mongodb:\/\/u:p@a:27017,/);
    const [{ projected }] = job.spec.template.spec.volumes;
    for (const source of projected.sources) assert.equal(source.secret.name, secret.metadata.name);
    const withCa = await made('-f', 'charts/sandpost/ci/private-ca-values.yaml');
    const { volumes } = withCa.Job?.[0].spec.template.spec ?? {};
    const authorities = volumes.find(({ name }: Json) => name === 'authorities');
    assert.equal(authorities.configMap.name, withCa.ConfigMap?.[0].metadata.name);
  });
});
