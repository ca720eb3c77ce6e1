import assert from 'node:assert/strict';
import { after, afterEach, before, suite, type TestContext, test } from 'node:test';
import { type ApiProxy, type Fault, startApiProxy } from '#test/support/kubernetes/api-proxy.ts';
import { startOwnApiServer } from '#test/support/kubernetes/api-server.ts';
import { account, apiKey, domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };

/** Runs all faults on one operator process. */
suite('the operator survives failures of the Kubernetes API', { skip: noKubernetes }, () => {
  let lab: OperatorLab;
  let restart: Awaited<ReturnType<typeof startOwnApiServer>>['restart'];
  let proxy: ApiProxy;
  let operator: Process;
  before(async () => {
    const own = await startOwnApiServer();
    restart = own.restart;
    lab = await startOperatorLab({ startServer: async () => own });
    proxy = await startApiProxy(lab.server);
    operator = await lab.startOperator({ KUBECONFIG: proxy.kubeconfig });
    const qa = await lab.newNamespace();
    await lab.kubectl.apply(domain(qa, 'first', { domain: `first-${qa}.test` }));
    await conditionIs(lab.kubectl, ['domain', qa, 'first'], ready);
  });
  afterEach(() => {
    proxy.fault = () => null;
    assert.ok(operator.alive(), 'the process is alive');
  });
  after(async () => {
    await operator.kill();
    await proxy[Symbol.asyncDispose]();
    await lab[Symbol.asyncDispose]();
  });

  /** Creates one resource of each kind, awaits the end of `trouble`, and waits until they are ready and then deleted. */
  const converges = async (t: TestContext, trouble: () => Promise<void>): Promise<void> => {
    const { kubectl, store } = lab;
    const qa = await lab.newNamespace();
    const name = `${qa}.test`;
    const made = ['domain/d', 'account/a', 'apikey/k'];
    await kubectl.apply(
      domain(qa, 'd', { domain: name }),
      account(qa, 'a', { address: `qa@${name}` }),
      apiKey(qa, 'k', {}),
    );
    await trouble();
    const begun = performance.now();
    await kubectl.ready(qa, made);
    t.diagnostic(`ready ${((performance.now() - begun) / 1000).toFixed(1)} s after the fault`);
    await kubectl.run('delete', '-n', qa, '--timeout=120s', ...made);
    const owner = await lab.tenant(qa);
    assert.equal(await store.rows.read('domain', { team: owner, domain: name }), null);
    assert.deepEqual(await store.rows.read('managedKeys', { team: owner }), []);
  };

  /** Waits until the fault has hit a number of calls. */
  const met = (count: number, kind: (path: string) => boolean = () => true) => {
    const before = proxy.calls.length;
    return until(() => proxy.calls.slice(before).filter(({ path }) => kind(path)).length >= count, 120_000);
  };
  const watching = () => until(() => proxy.calls.filter(({ isWatch }) => isWatch).length >= 3, 60_000);

  test('a restart of the API server', async (t) => {
    await restart(async () => met(2));
    await converges(t, async () => {});
  });

  test('a break of every watch', async (t) => {
    await watching();
    await converges(t, async () => proxy.cutWatches());
  });

  test('connections that stay open without a byte', async (t) => {
    await watching();
    proxy.hold();
    await converges(t, async () => {});
  });

  const answers: [string, Fault, (path: string) => boolean][] = [
    ['410 to watches', { status: 410 }, (path) => path.includes('watch=true')],
    ['429 to everything', { status: 429, headers: { 'retry-after': '1' } }, () => true],
    ['500 to everything', { status: 500 }, () => true],
    ['no answer to anything', 'silence', () => true],
    ['broken connections', 'reset', () => true],
  ];
  for (const [name, fault, concerns] of answers) {
    test(name, async (t) => {
      await watching();
      proxy.fault = ({ path }) => (concerns(path) ? fault : null);
      proxy.cutWatches();
      await converges(t, async () => {
        await met(4, concerns);
        proxy.fault = () => null;
      });
    });
  }

  test('failures of a tenth of all calls', async (t) => {
    const faults: Fault[] = [{ status: 500 }, { status: 429 }, 'reset', { status: 503 }];
    // Pseudorandom numbers with a fixed seed, which make every run alike (linear congruential generator).
    let seed = 1;
    proxy.fault = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
      return seed / 2 ** 31 < 0.1 ? (faults[seed % faults.length] ?? null) : null;
    };
    proxy.cutWatches();
    await converges(t, async () => {});
  });
});
