import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type ApiProxy, startApiProxy } from '#test/support/kubernetes/api-proxy.ts';
import { domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const vouched = 20;
const checked = 8;

suite(`${vouched + checked} Domains at rest`, { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let proxy: ApiProxy;
  let operator: Process;
  let settings: Record<string, string>;
  before(async () => {
    lab = await startOperatorLab();
    // A missing SOA prevents negative caching, so each MX check sends a query.
    lab.dns.negativeTtl = null;
    proxy = await startApiProxy(lab.server);
    settings = { KUBECONFIG: proxy.kubeconfig, SANDPOST_POD_NAME: 'operator-0', SANDPOST_MX_INTERVAL: '5' };
    operator = await lab.startOperator(settings);
  });
  after(async () => {
    await operator.kill();
    await proxy[Symbol.asyncDispose]();
    await lab[Symbol.asyncDispose]();
  });

  /** Number of writes to each Domain since call number `from`. */
  const writesSince = (from: number) => {
    const writes = new Map<string, number>();
    for (const { method, path } of proxy.calls.slice(from)) {
      const [, name] = /\/domains\/([^/?]+)/.exec(path) ?? [];
      if (method !== 'GET' && name !== undefined) writes.set(name, (writes.get(name) ?? 0) + 1);
    }
    return writes;
  };

  test('a Domain without changes is never written, one with MX checks at most once a check', async (t) => {
    const { kubectl, dns } = lab;
    const qa = await lab.newNamespace();
    const names = Array.from({ length: vouched + checked }, (_, i) => (i < vouched ? `v${i}` : `c${i}`));
    await kubectl.create(
      ...names.map((name) =>
        domain(qa, name, { domain: `${name}.test`, ...(name.startsWith('v') ? { mxVerified: true } : {}) }),
      ),
    );
    const begun = performance.now();
    const statuses = '{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}';
    const list = ['get', 'domains', '-n', qa, '-o', `jsonpath=${statuses}`];
    const isReady = async () => (await kubectl.run(...list)).split('True').length - 1 === names.length;
    await until(isReady, 150_000, 1000);
    t.diagnostic(`Ready ${((performance.now() - begun) / 1000).toFixed(1)} s after the creation`);

    const from = proxy.calls.length;
    const asked = () => dns.questions.filter((question) => question.startsWith('MX ')).length;
    const before = asked();
    const questionsBefore = dns.questions.length;
    await until(() => asked() >= before + 3 * checked, 120_000, 200);
    const writes = writesSince(from);
    const checks = new Map<string, number>();
    for (const question of dns.questions.slice(questionsBefore)) {
      const name = question.replace(/^MX (.*)\.test$/, '$1');
      checks.set(name, (checks.get(name) ?? 0) + 1);
    }
    assert.ok(writes.size > 0, 'checks show in the status');
    for (const [name, count] of writes) {
      assert.ok(name.startsWith('c'), `${name} was written`);
      assert.ok(count <= (checks.get(name) ?? 0) + 1, `${name}: ${count} writes, ${checks.get(name)} checks`);
    }

    await operator.stop();
    const again = proxy.calls.length;
    operator = await lab.startOperator(settings);
    await until(async () => (await reconciliations(operator)) >= names.length, 120_000, 200);
    const afterRestart = [...writesSince(again).keys()].filter((name) => name.startsWith('v'));
    assert.deepEqual(afterRestart, [], 'a reconciliation of each writes nothing');
  });
});

/** Number of Domain reconciliations. */
async function reconciliations({ ports }: Process): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${ports.ops}/metrics`)).text();
  const name = 'sandpost_operator_reconcile_duration_seconds_count{kind="Domain"}';
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(name));
  return Number(line?.split(' ').at(-1) ?? 0);
}
