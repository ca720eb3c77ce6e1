import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startApiProxy } from '#test/support/kubernetes/api-proxy.ts';
import { writeKubeconfig } from '#test/support/kubernetes/api-server.ts';
import { verbsOf } from '#test/support/kubernetes/api-verbs.ts';
import {
  account,
  apiKey,
  domain,
  inbox,
  mailExpectation,
  member,
} from '#test/support/kubernetes/custom-resources.ts';
import { bringForward, takeBack } from '#test/support/kubernetes/definitions.ts';
import { noHelm, render, runHelm } from '#test/support/kubernetes/helm.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { parse } from '#test/support/kubernetes/manifests.ts';
import { type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import { until } from '#test/support/runner/until.ts';

const isOperators = ({ kind, metadata }: Json) =>
  /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind) &&
  /-operator(-lease|-cluster|-definitions)?$/.test(metadata.name);

const plurals = ['domains', 'accounts', 'apikeys', 'members', 'inboxes'];
const all = ['domain/app', 'domain/other', 'account/qa', 'apikey/mail', 'member/ada', 'inbox/own'];

/** Returns each verb in the rules with its resource, as `get /secrets`. */
const granted = (rules: Json[]): string[] =>
  rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group: string) =>
      resources.flatMap((resource: string) => verbs.map((verb: string) => `${verb} ${group}/${resource}`)),
    ),
  );

describe("the operator's rights", { skip: noHelm }, () => {
  let lab: OperatorLab;
  before(async () => {
    lab = await startOperatorLab();
  });
  after(() => lab[Symbol.asyncDispose]());

  /** Installs the operator with the chart's rights, and triggers everything that it can do, in two namespaces. */
  async function work(release: string, mayReplace: boolean, ...values: string[]) {
    const { kubectl, server } = lab;
    const manifests = parse(await render(release, ...values)).filter(isOperators);
    await kubectl.apply(...manifests);
    await using proxy = await startApiProxy(server);
    const token = await kubectl.run('create', 'token', 'sandpost-operator', '-n', release);
    const kubeconfig = await writeKubeconfig(`${server.folder}/${release}.kubeconfig`, {
      url: proxy.url,
      token,
    });
    await kubectl.run('--kubeconfig', kubeconfig, 'config', 'set-context', 'test', '--namespace', release);
    const settings = {
      KUBECONFIG: kubeconfig,
      SANDPOST_WATCH_NAMESPACES: `${release}-team`,
      SANDPOST_POD_NAME: release,
    };
    const asks = (...verbs: string[]) =>
      until(() => verbs.every((verb) => verbsOf(proxy.calls).includes(verb))).catch(() => {
        throw new Error(`not asked: ${verbs.filter((verb) => !verbsOf(proxy.calls).includes(verb))}`);
      });
    let operator = await lab.startOperator(settings);
    try {
      // In a namespace without a team, and deleted when finished.
      await kubectl.apply(
        mailExpectation(`${release}-team`, 'none', { within: '1s', ttlAfterFinished: '0s' }),
      );
      await asks('get sandpost.dev/mailexpectations', 'delete sandpost.dev/mailexpectations');
      await make(`${release}-team`);
      await asks('update coordination.k8s.io/leases');
      await operator.stop();
      await loseFinalizers(`${release}-team`);
      operator = await lab.startOperator(settings);
      await asks(...plurals.map((plural) => `get sandpost.dev/${plural}`));
      await make(`${release}-team`);
      // The operator replaces an earlier release's definition if it may.
      await takeBack(kubectl, 'apikeys', ['scope']);
      if (mayReplace) await asks('patch apiextensions.k8s.io/customresourcedefinitions');
      else await bringForward(kubectl);
      const [first = '', ...others] = all;
      await kubectl.run('delete', '-n', `${release}-team`, '--timeout=60s', first);
      await kubectl.run('delete', 'namespace', `${release}-team`, '--wait=false');
      await kubectl.run('delete', '-n', `${release}-team`, '--timeout=60s', ...others);
      return { asked: verbsOf(proxy.calls), manifests };
    } finally {
      await operator.stop();
    }
  }

  /** Creates resources of each kind. The key's Secret is changed, and the operator restores it. */
  async function make(team: string): Promise<void> {
    const { kubectl } = lab;
    await kubectl.apply(
      domain(team, 'app', { domain: `app.${team}.test`, mxVerified: true }),
      domain(team, 'other', { domain: `other.${team}.test`, mxVerified: true }),
      account(team, 'qa', { address: `qa@app.${team}.test` }),
      apiKey(team, 'mail', {}),
      member(team, 'ada', { email: 'ada@example.com' }),
      inbox(team, 'own', { domain: `app.${team}.test` }),
    );
    await kubectl.ready(team, all);
    const patch = JSON.stringify({ stringData: { SANDPOST_URL: 'http://elsewhere' } });
    await kubectl.run('patch', 'secret', 'mail', '-n', team, '-p', patch);
    await kubectl.run('annotate', 'apikey', 'mail', '-n', team, 'look=again');
    await until(async () => {
      const { data } = await kubectl.get('secret', team, 'mail');
      return atob(data.SANDPOST_URL) !== 'http://elsewhere';
    });
  }

  /** Removes finalizers, as uninstalling does, then deletes the resources, as a user does: managed objects remain. */
  async function loseFinalizers(team: string): Promise<void> {
    // Keeps the account's domain. Deleting it would delete the account too.
    for (const resource of all.slice(1)) {
      const patch = JSON.stringify({ metadata: { finalizers: null } });
      await lab.kubectl.run('patch', resource, '-n', team, '--type=merge', '-p', patch);
      await lab.kubectl.run('delete', resource, '-n', team, '--timeout=60s');
    }
    // The Kubernetes garbage collector, which would delete the resource's dependents, does not run here.
    await lab.kubectl.run('delete', 'secret', 'mail', '-n', team);
  }

  /** Returns what the operator may do with some values. */
  const rightsBy = async (...values: string[]) => {
    const manifests = parse(await render('all', ...values));
    return granted(manifests.filter(isOperators).flatMap((item: Json) => item.rules ?? []));
  };

  test('grow by what inboxes of preview namespaces and a selector of namespaces need, and by no more', async () => {
    const previews = 'operator.previews.selector=preview=yes,operator.previews.domain=pr.test';
    const usual = await rightsBy();
    const moreBy = async (value: string) =>
      (await rightsBy('--set', value)).filter((right) => !usual.includes(right));
    const reads = ['list /namespaces', 'watch /namespaces'];
    // test/long/operator/previews.test.ts and namespace-selector.test.ts run with these.
    const creates = ['create sandpost.dev/domains', 'create sandpost.dev/inboxes'];
    assert.deepEqual(await moreBy(previews), [...reads, ...creates]);
    assert.deepEqual(await moreBy('operator.namespaceSelector=sandpost=yes'), reads);
  });

  test('lack list and watch of Secrets where a value says so', async () => {
    for (const scope of ['operator.replicas=1', 'operator.watchNamespaces={named-team}']) {
      const rightsIf = (value: boolean) => rightsBy('--set', `${scope},operator.watchSecrets=${value}`);
      const [usual, fewer] = [await rightsIf(true), await rightsIf(false)];
      // test/long/operator/secrets.test.ts also runs without these.
      assert.deepEqual(
        usual.filter((right) => !fewer.includes(right)),
        ['list /secrets', 'watch /secrets'],
        scope,
      );
    }
  });

  test('grow by reading Pods and Jobs where mail names its sender', async () => {
    for (const scope of ['operator.replicas=1', 'operator.watchNamespaces={named-team}']) {
      const rightsIf = (value: boolean) => rightsBy('--set', `${scope},operator.attributeSenders=${value}`);
      const usual = await rightsIf(false);
      const more = (await rightsIf(true)).filter((right) => !usual.includes(right));
      // test/long/operator/senders.test.ts runs with these.
      assert.deepEqual(more, ['list /pods', 'watch /pods', 'get batch/jobs'], scope);
    }
  });

  for (const [where, values] of [
    ['everywhere', []],
    ['in named namespaces', ['--set', 'operator.watchNamespaces={named-team}']],
  ] as const) {
    test(`${where} are those that it uses, and no others`, async () => {
      const release = where === 'everywhere' ? 'all' : 'named';
      for (const name of [release, `${release}-team`]) await lab.kubectl.run('create', 'namespace', name);
      const { asked, manifests } = await work(release, where === 'everywhere', ...values);
      const rules = manifests.flatMap((item: Json) => item.rules ?? []);
      // A Role cannot grant it. Without the right, the operator uses discovery, which needs none.
      const refused = where === 'everywhere' ? [] : ['get apiextensions.k8s.io/customresourcedefinitions'];
      assert.deepEqual([...new Set([...granted(rules), ...refused])].sort(), asked);
      assert.equal(
        manifests.some(({ kind }: Json) => kind.startsWith('Cluster')),
        where === 'everywhere',
      );
    });
  }

  test('an installation says that its operator can read all Secrets, unless it has a Role in each namespace', async () => {
    const install = ['install', 'sandpost', 'charts/sandpost', '--dry-run=client'];
    const warning = /CAN READ AND WRITE SECRETS IN EVERY NAMESPACE/;
    assert.match(await runHelm(...install), warning);
    assert.doesNotMatch(await runHelm(...install, '--set', 'operator.watchNamespaces={qa}'), warning);
    for (const [set, reason] of [
      ['replicas=1', /watchNamespaces is empty/],
      ['namespaceSelector=mail=yes', /selects namespaces by their labels/],
    ] as const) {
      const option = ['--set', `operator.${set}`];
      assert.match(await runHelm(...install, ...option), reason);
      const roles = parse(await render('sandpost', ...option)).filter(
        ({ kind, rules = [] }) =>
          kind === 'ClusterRole' && rules.some(({ resources }: Json) => resources.includes('secrets')),
      );
      assert.equal(roles.length, 1);
      assert.match(roles[0].metadata.annotations['kubernetes.io/description'], reason);
    }
  });
});
