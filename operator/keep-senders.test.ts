import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import type { Sender } from '#core/messages/sender.ts';
import { keepSenders } from './keep-senders.ts';
import type { Pod } from './sender-table.ts';

type Owner = { kind: string; name: string; uid: string };

function pod(namespace: string, name: string, ip: string, owner?: Owner): Pod {
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: {} },
    metadata: {
      ...{ namespace, name, uid: `${namespace}/${name}`, resourceVersion: '1', generation: 1 },
      ...(owner && { ownerReferences: [{ ...owner, controller: true }] }),
    },
    status: { phase: 'Running', podIPs: [{ ip }], hostIPs: [{ ip: '192.0.2.1' }] },
  };
}
const job = (name: string, uid = name): Owner => ({ kind: 'Job', name, uid });

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
}

/** Maintains a table of these Pods, whose lists are read every second of a clock that only `pass` moves. */
async function keep(
  t: TestContext,
  pods: Pod[],
  jobOf = async (_path: string): Promise<unknown> => ({ metadata: {} }),
) {
  const namespaces = [...new Set(pods.map(namespaceOf))];
  let now = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => now);
  const stopping = new AbortController();
  const scene = {
    isLeading: true,
    chosen: new Set(namespaces),
    /** Statuses of failing lists, by namespace. */
    failing: new Map<string, number>(),
    /** Paths of Jobs that were read. */
    read: [] as string[],
    table: new Map() as ReadonlyMap<string, Sender>,
    /** Changes in each write; null for all. */
    writes: [] as (string[] | null)[],
    named: () => [...scene.table].map(([ip, { workload }]) => [ip, workload]),
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        now += 1000;
        mock.timers.tick(1000);
        await settle();
      }
    },
    async stop() {
      stopping.abort();
      await settle();
      mock.timers.tick(1000);
      await running;
    },
  };
  const list = (path: string) => {
    const [, namespace = ''] = /^\/api\/v1\/namespaces\/([^/]+)\/pods\?/.exec(path) ?? [];
    const code = scene.failing.get(namespace);
    if (code !== undefined) throw new ApiException(code, 'failed', '{}', {});
    return {
      items: pods.filter((one) => namespaceOf(one) === namespace),
      metadata: { resourceVersion: '1' },
    };
  };
  const client = {
    async get(path: string) {
      if (path.startsWith('/api/v1/namespaces/')) return list(path);
      scene.read.push(path);
      return jobOf(path);
    },
    watch: { watch: async () => new AbortController() },
  } as never;
  const running = keepSenders(
    {
      ...{ client, namespaces, relistMs: 1000, onError() {} },
      isLeading: () => scene.isLeading,
      chooses: (namespace) => scene.chosen.has(namespace),
      table: {
        async write(table, changed) {
          scene.table = table;
          scene.writes.push(changed);
        },
      },
    },
    stopping.signal,
  );
  t.after(async () => {
    await scene.stop();
    mock.timers.reset();
    mock.restoreAll();
  });
  await scene.pass(4);
  return scene;
}
const namespaceOf = ({ metadata }: Pod) => metadata.namespace;

const badOwners: [string, Owner][] = [
  ['a path', job('../../../../../../api/v1/pods?x=')],
  ['dots', job('..')],
  ['a name of 254 characters', job('a'.repeat(254))],
  ['a name with a line break', job('a\nb')],
  ['no name', job('')],
  ['a kind that is a path', { kind: 'Job/x', name: 'a', uid: 'a' }],
  ['a kind of 64 characters', { kind: 'J'.repeat(64), name: 'a', uid: 'a' }],
  ['a kind of markup', { kind: '<b>', name: 'a', uid: 'a' }],
];
for (const [what, owner] of badOwners)
  test(`an owner with ${what} is neither read nor named`, async (t) => {
    const scene = await keep(t, [pod('a', 'x', '10.0.0.1', owner)]);
    assert.deepEqual([scene.named(), scene.read], [[['10.0.0.1', null]], []]);
  });

test('the owner of a Job is named, unless it cannot be one', async (t) => {
  const pods = [pod('a', 'x', '10.0.0.1', job('one')), pod('a', 'y', '10.0.0.2', job('two.x'))];
  const scene = await keep(t, pods, async (path) => {
    const name = path.endsWith('one') ? 'daily' : '<b>';
    return { metadata: { ownerReferences: [{ kind: 'CronJob', name, uid: 'c', controller: true }] } };
  });
  const folder = '/apis/batch/v1/namespaces/a/jobs';
  assert.deepEqual(scene.read, [`${folder}/one`, `${folder}/two.x`]);
  assert.deepEqual(scene.named(), [
    ['10.0.0.1', 'CronJob/daily'],
    ['10.0.0.2', 'Job/two.x'],
  ]);
});

test('a Pod that names the UID of the Job of another namespace does not get its workload', async (t) => {
  const pods = [pod('a', 'x', '10.0.0.1', job('one', 'u')), pod('b', 'y', '10.0.0.2', job('two', 'u'))];
  const scene = await keep(t, pods);
  assert.deepEqual(scene.named(), [
    ['10.0.0.1', 'Job/one'],
    ['10.0.0.2', 'Job/two'],
  ]);
});

test('namespaces take turns in the reading of their Jobs', async (t) => {
  const many = Array.from({ length: 20 }, (_, i) => pod('a', `x${i}`, `10.0.0.${i}`, job(`job-${i}`)));
  const ends: (() => void)[] = [];
  const held = () => new Promise((resolve) => ends.push(() => resolve({ metadata: {} })));
  const scene = await keep(t, [...many, pod('b', 'y', '10.0.1.1', job('own'))], held);
  assert.equal(scene.read.length, 4);
  for (const end of ends.slice(0, 2)) end();
  await settle();
  assert.ok(scene.read.includes('/apis/batch/v1/namespaces/b/jobs/own'), scene.read.join());
  for (let i = 2; i < 21; i++) {
    ends[i]?.();
    await settle();
  }
});

test('Pods of a namespace whose list is refused are forgotten, and named again with the next list', async (t) => {
  const scene = await keep(t, [pod('a', 'x', '10.0.0.1'), pod('b', 'y', '10.0.0.2')]);
  assert.equal(scene.table.size, 2);
  scene.failing.set('a', 403);
  await scene.pass(6);
  assert.deepEqual(scene.named(), [['10.0.0.2', null]]);
  scene.failing.clear();
  await scene.pass(40);
  assert.equal(scene.table.size, 2);
});

test('Pods of a namespace whose list fails are forgotten after 10 s', async (t) => {
  const scene = await keep(t, [pod('a', 'x', '10.0.0.1'), pod('b', 'y', '10.0.0.2')]);
  scene.failing.set('a', 503);
  await scene.pass(8);
  assert.equal(scene.table.size, 2);
  await scene.pass(12);
  assert.deepEqual(scene.named(), [['10.0.0.2', null]]);
});

test('a process that no longer leads writes nothing, and all at once when it leads again', async (t) => {
  const scene = await keep(t, [pod('a', 'x', '10.0.0.1')]);
  scene.isLeading = false;
  const before = scene.writes.length;
  await scene.pass(9);
  assert.equal(scene.writes.length, before);
  scene.isLeading = true;
  await scene.pass(4);
  assert.deepEqual(scene.writes.slice(before, before + 2), [null, []]);
  scene.isLeading = false;
  await scene.stop();
  assert.equal(scene.table.size, 1, 'the table may be of its successor');
});

test('the table is emptied by a leader that stops', async (t) => {
  const scene = await keep(t, [pod('a', 'x', '10.0.0.1')]);
  await scene.stop();
  assert.deepEqual([scene.table.size, scene.writes.at(-1)], [0, ['10.0.0.1']]);
});

test('the table is written whole each minute', async (t) => {
  const scene = await keep(t, [pod('a', 'x', '10.0.0.1')]);
  await scene.pass(150);
  assert.equal(scene.writes.filter((changed) => changed === null).length, 3);
});

test('a Pod of a namespace that is not chosen is not named, and nobody else has its address', async (t) => {
  const pods = [pod('a', 'x', '10.0.0.1'), pod('b', 'y', '10.0.0.2'), pod('b', 'z', '10.0.0.3', job('own'))];
  const scene = await keep(t, [...pods, pod('a', 'w', '10.0.0.2')]);
  assert.deepEqual(
    scene.named().map(([ip]) => ip),
    ['10.0.0.1', '10.0.0.3'],
  );
  scene.chosen.delete('b');
  await scene.pass(4);
  assert.deepEqual(
    scene.named().map(([ip]) => ip),
    ['10.0.0.1'],
  );
});
