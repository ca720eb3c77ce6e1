import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { DomainResource } from '#operator/domain/decide.ts';
import { apiGroup } from '#operator/group.ts';
import { connectToCluster } from '#operator/runtime/api-client.ts';
import { Informer } from '#operator/runtime/informer.ts';
import { createResourceApi } from '#operator/runtime/resource-api.ts';
import { type ApiProxy, startApiProxy } from '#test/support/kubernetes/api-proxy.ts';
import { type ApiServer, startApiServer } from '#test/support/kubernetes/api-server.ts';
import { domain, namespace } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { until } from '#test/support/runner/until.ts';

suite('an informer on a real API server', { skip: noKubernetes }, () => {
  let server: ApiServer;
  let proxy: ApiProxy;
  before(async () => {
    server = await startApiServer();
    proxy = await startApiProxy(server);
    process.env.KUBECONFIG = proxy.kubeconfig;
    await server.kubectl.apply(namespace('qa'));
  });
  after(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** Runs an informer during `body`. */
  const running = async (
    relistMs: number,
    body: (informer: Informer<DomainResource>, changes: string[]) => Promise<void>,
  ) => {
    const changes: string[] = [];
    const plurals = new Map([['Domain', 'domains']]);
    const api = createResourceApi(
      connectToCluster(() => {}),
      apiGroup,
      plurals,
    );
    const informer = new Informer<DomainResource>({
      source: api.listWatch('Domain', null),
      onChange: ({ metadata }) => changes.push(metadata.name),
      onError: () => {},
      relistMs,
    });
    const stopping = new AbortController();
    const run = informer.run(stopping.signal);
    try {
      await until(() => informer.listedAt !== null, 60_000);
      await body(informer, changes);
    } finally {
      stopping.abort();
      await run;
    }
  };
  const names = (informer: Informer<DomainResource>) =>
    informer
      .all()
      .map(({ metadata }) => metadata.name)
      .sort();

  test('a relist finds creations, changes and deletions that the watch has lost', async () => {
    const { kubectl } = server;
    await kubectl.apply(
      domain('qa', 'old', { domain: 'old.test' }),
      domain('qa', 'both', { domain: 'both.test' }),
    );
    await running(3000, async (informer, changes) => {
      assert.deepEqual(names(informer), ['both', 'old']);
      proxy.passes = () => false;
      await kubectl.apply(domain('qa', 'new', { domain: 'new.test' }));
      await kubectl.apply(domain('qa', 'both', { domain: 'both.test', active: false }));
      changes.length = 0;
      await kubectl.run('delete', 'domain/old', '-n', 'qa');
      await until(() => names(informer).join() === 'both,new', 60_000);
      assert.equal(informer.get('qa', 'both')?.spec.active, false);
      assert.ok(changes.includes('old'), 'a deletion is a change');
    });
    proxy.passes = () => true;
  });

  test('a list of several pages is complete', async () => {
    const { kubectl } = server;
    await kubectl.apply(namespace('many'));
    const many = Array.from({ length: 520 }, (_, i) =>
      domain('many', `d${i}`, { domain: `d${i}.many.test` }),
    );
    await kubectl.apply(...many);
    await running(600_000, async (informer) => {
      const found = informer.all().filter(({ metadata }) => metadata.namespace === 'many');
      assert.equal(found.length, 520);
      assert.ok(
        proxy.calls.some(({ path }) => path.includes('continue=')),
        'page by page',
      );
    });
  });
});
