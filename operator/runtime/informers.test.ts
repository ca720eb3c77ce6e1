import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { Informer, type ListWatch } from './informer.ts';
import { createInformers } from './informers.ts';
import { isDeleted, type Resource } from './resource.ts';

const forbidden = () => new ApiException(403, 'Forbidden', '{}', {});
const unavailable = () => new ApiException(503, 'Unavailable', '{}', {});

/** Informers of `namespaces` on an API server that refuses lists of some namespaces or some kinds, and does not answer others. */
function informersOf(
  namespaces: string[],
  refused: Set<string | null>,
  needed = ['Widget', 'Gadget'],
  failing = new Set<string | null>(),
) {
  const informers = createInformers({
    api: {
      listWatch: (kind, namespace) => ({
        async list() {
          if (failing.has(kind)) throw unavailable();
          if (refused.has(namespace) || refused.has(kind)) throw forbidden();
          return { items: [], resourceVersion: '1' };
        },
        watch: async () => new AbortController(),
      }),
    },
    kinds: ['Widget', 'Gadget'],
    needed: new Set(needed),
    namespaces,
    relistMs: 600_000,
    onError: () => {},
  });
  const stopping = new AbortController();
  const run = informers.run(stopping.signal);
  return {
    informers,
    async settled() {
      for (let i = 0; i < 5; i++) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await run;
    },
  };
}

test('a namespace that is gone neither delays the others nor counts as covered', async () => {
  await using scene = informersOf(['present', 'gone'], new Set(['gone']));
  const { informers } = scene;
  assert.equal(informers.synced(), false, 'before the first list');
  await scene.settled();
  assert.equal(informers.synced(), true);
  assert.notEqual(informers.ageMs(), null);
  assert.equal(informers.covers('present'), true);
  assert.equal(informers.covers('gone'), false);
  assert.equal(informers.covers('other'), false);
});

test('informers whose lists are all refused are not synced', async () => {
  for (const namespaces of [['gone'], []]) {
    await using scene = informersOf(namespaces, new Set(['gone', null]));
    await scene.settled();
    assert.equal(scene.informers.synced(), false);
    assert.equal(scene.informers.ageMs(), null);
    assert.equal(scene.informers.covers('gone'), false);
  }
});

test('informers without named namespaces cover all of them', async () => {
  await using scene = informersOf([], new Set());
  await scene.settled();
  assert.equal(scene.informers.synced(), true);
  assert.equal(scene.informers.covers('any'), true);
});

test('a kind that is not needed may be missing, and one that is needed may not', async () => {
  await using without = informersOf([], new Set(['Gadget']), ['Widget']);
  await without.settled();
  assert.equal(without.informers.synced(), true);
  assert.equal(without.informers.covers('any'), true);
  await using scene = informersOf([], new Set(['Gadget']));
  await scene.settled();
  assert.equal(scene.informers.synced(), false);
  assert.equal(scene.informers.covers('any'), false);
});

test('a kind that is missing stays so while the API server has no answer, and never makes the process count as dead', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const failing = new Set<string>();
  await using scene = informersOf([], new Set(['Gadget']), ['Widget'], failing);
  await scene.settled();
  failing.add('Gadget');
  mock.timers.tick(1000);
  await scene.settled();
  assert.equal(scene.informers.synced(), true);
  assert.notEqual(scene.informers.ageMs(), null);
  // Kind that was never refused but does not exist either.
  await using other = informersOf([], new Set(), ['Widget'], new Set(['Gadget']));
  await other.settled();
  assert.equal(other.informers.synced(), false);
  assert.notEqual(other.informers.ageMs(), null);
});

test('a refused watch is tried again ever less often, with one report, and its end is reported', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  let asked = 0;
  let isRefused = true;
  let deliver = (_type: string, _object: Resource): void => {};
  const reports: unknown[] = [];
  const informer = new Informer<Resource>({
    source: {
      async list() {
        asked++;
        return { items: [], resourceVersion: '1' };
      },
      async watch(_version, onEvent, onEnd) {
        deliver = onEvent;
        if (isRefused) onEnd(forbidden());
        return new AbortController();
      },
    },
    onChange: () => {},
    onError: (error) => reports.push(error && 'refused'),
    relistMs: 600_000,
  });
  const stopping = new AbortController();
  const run = informer.run(stopping.signal);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < 5; i++) await new Promise(setImmediate);
      mock.timers.tick(1000);
    }
  };
  await pass(10);
  assert.ok(asked >= 3, 'a Role that comes soon is noticed soon');
  await pass(600);
  asked = 0;
  await pass(3600);
  assert.ok(asked >= 12 && asked <= 24, `${asked} in an hour`);
  assert.deepEqual(reports, ['refused']);
  isRefused = false;
  await pass(300);
  deliver('BOOKMARK', { metadata: { resourceVersion: '2' } } as Resource);
  assert.deepEqual(reports, ['refused', null]);
  isRefused = true;
  await pass(1200);
  stopping.abort();
  await pass(1);
  await run;
  assert.deepEqual(reports, ['refused', null, 'refused', null], 'a watch that ends is refused no more');
});

test('a creation is told as one where a watch tells of it, and not where a list does', async () => {
  const told: [string, boolean][] = [];
  const widget = (name: string, resourceVersion: string): Resource => ({
    ...{ apiVersion: 'example.test/v1', kind: 'Widget', spec: {} },
    metadata: { namespace: 'qa', name, uid: name, resourceVersion, generation: 1 },
  });
  const informers = createInformers({
    api: {
      listWatch: (): ListWatch<never> => ({
        list: async () => ({ items: [widget('listed', '1') as never], resourceVersion: '1' }),
        async watch(_version, onEvent) {
          onEvent('ADDED', widget('made', '2') as never);
          onEvent('MODIFIED', widget('made', '3') as never);
          return new AbortController();
        },
      }),
    },
    kinds: ['Widget'],
    needed: new Set(['Widget']),
    namespaces: [],
    relistMs: 600_000,
    onError: () => {},
  });
  informers.subscribe(({ name }, isCreated) => told.push([name, isCreated]));
  const stopping = new AbortController();
  const run = informers.run(stopping.signal);
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  assert.deepEqual(told, [
    ['listed', false],
    ['made', true],
    ['made', false],
  ]);
  stopping.abort();
  await run;
});

test('a deletion that came just before a write is reported, though the watch delivers it after the result of the write', async () => {
  const resource = (resourceVersion: string, generation: number, deletionTimestamp?: string): Resource => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: {
      ...{ namespace: 'qa', name: 'w', uid: 'u', resourceVersion, generation },
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: {},
  });
  const now = '2026-11-27T00:00:00Z';
  const reported: boolean[] = [];
  let deliver = (_type: string, _object: Resource): void => {};
  const informer = new Informer<Resource>({
    source: {
      list: async () => ({ items: [resource('1', 1)], resourceVersion: '1' }),
      async watch(_version, onEvent) {
        deliver = onEvent;
        return new AbortController();
      },
    },
    onChange: (changed) => reported.push(isDeleted(changed)),
    onError: () => {},
    relistMs: 600_000,
  });
  const stopping = new AbortController();
  const run = informer.run(stopping.signal);
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  // Status, written over version 2, which is the deletion.
  informer.put(resource('3', 2, now));
  deliver('MODIFIED', resource('2', 2, now));
  deliver('MODIFIED', resource('3', 2, now));
  // Our own write alone reports nothing.
  informer.put(resource('4', 2, now));
  stopping.abort();
  await run;
  assert.deepEqual(reported, [false, true], 'listed, deleted');
});
