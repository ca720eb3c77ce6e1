import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiException } from '@kubernetes/client-node';
import { createInformers } from './informers.ts';

const forbidden = () => new ApiException(403, 'Forbidden', '{}', {});

/** Informers of these namespaces, of an API server that refuses some of them. */
function informersOf(namespaces: string[], refused: Set<string | null>) {
  const informers = createInformers({
    api: {
      listWatch: (_kind, namespace) => ({
        async list() {
          if (refused.has(namespace)) throw forbidden();
          return { items: [], resourceVersion: '1' };
        },
        watch: async () => new AbortController(),
      }),
    },
    namespaces,
    relistMs: 600_000,
    onChange: () => {},
    onTrouble: () => {},
  });
  const stopping = new AbortController();
  const run = informers.run(stopping.signal);
  return {
    informers,
    async settled() {
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await run;
    },
  };
}

test('a namespace that is gone holds up no other one, and nothing of it counts as missing', async () => {
  await using scene = informersOf(['there', 'gone'], new Set(['gone']));
  const { informers } = scene;
  assert.equal(informers.synced(), false, 'nothing has been listed yet');
  await scene.settled();
  assert.equal(informers.synced(), true);
  assert.notEqual(informers.ageMs(), null);
  assert.equal(informers.covers('there'), true);
  assert.equal(informers.covers('gone'), false);
  assert.equal(informers.covers('other'), false);
});

test('where every list is refused, nothing is known', async () => {
  for (const namespaces of [['gone'], []]) {
    await using scene = informersOf(namespaces, new Set(['gone', null]));
    await scene.settled();
    assert.equal(scene.informers.synced(), false);
    assert.equal(scene.informers.ageMs(), null);
    assert.equal(scene.informers.covers('gone'), false);
  }
});

test('without names, all namespaces are covered', async () => {
  await using scene = informersOf([], new Set());
  await scene.settled();
  assert.equal(scene.informers.synced(), true);
  assert.equal(scene.informers.covers('any'), true);
});
