import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { lasting } from '#test/support/runner/clocks.ts';
import { createWaits } from './waits.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const nothing = { items: [], total: 0, cursor: 0 };
const page = { page: 1, limit: 10 };
const start = async () => ({ filter: {}, anyEvent: false });
const feed = { follow: () => ({ stop: () => {} }), close: async () => {} };
const journal = { heads: async () => new Map<number, number>() };

/** Waits of an owner without mail. Reading takes `readMs`, and a garbage collection follows. */
function waitsWith(readMs: number, onReading = () => {}) {
  const list = async () => {
    onReading();
    await lasting(readMs);
    collectGarbage();
    await turn();
    return nothing;
  };
  return createWaits({ feed, journal, list, enter: () => () => {} });
}

test('a wait whose time ends during its first reading ends with it', {
  timeout: 60_000,
}, async () => {
  const waits = waitsWith(100);
  const { signal } = new AbortController();
  const terms = { waiter: { userId: 1, keyId: null }, count: 1, waitMs: 20, signal };
  const answers = await Promise.all(Array.from({ length: 5 }, () => waits.wait(1, start, page, terms)));
  assert.deepEqual(answers, Array(5).fill({ list: nothing, met: false }));
});

test('a wait whose request ends during its first reading ends with it', { timeout: 60_000 }, async () => {
  const reading = Promise.withResolvers<void>();
  const waits = waitsWith(50, reading.resolve);
  const request = new AbortController();
  const waited = waits.wait(1, start, page, {
    waiter: { userId: 1, keyId: null },
    count: 1,
    waitMs: 60_000,
    signal: request.signal,
  });
  await reading.promise;
  request.abort();
  assert.deepEqual(await waited, { list: nothing, met: false });
});
