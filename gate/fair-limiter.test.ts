import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooMany } from '#core/errors.ts';
import { createFairLimiter } from './fair-limiter.ts';

/** Queue whose work ends when the test ends it. `begun` holds the names in the order in which they ran. */
function world(places: number, waitingPerKey = 100, placesPerKey?: number) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const full = { count: 0 };
  const queue = createFairLimiter({
    places,
    waitingPerKey,
    onFull: () => full.count++,
    ...(placesPerKey === undefined ? {} : { placesPerKey }),
  });
  const ask = (key: string, name: string) =>
    queue(key, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  const endNext = async () => {
    await new Promise(setImmediate);
    ends.shift()?.();
    await new Promise(setImmediate);
  };
  return { begun, ask, endNext, full };
}

test('keys take turns, each in its own order', async () => {
  const { begun, ask, endNext } = world(1);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => ask(name[0] ?? '', name));
  for (const _ of all) await endNext();
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

test('work runs at once up to the number of places, also after failures', async () => {
  const { begun, ask, endNext } = world(2);
  const queue = createFairLimiter({ places: 1, waitingPerKey: 1, onFull() {} });
  await assert.rejects(
    queue('a', () => Promise.reject(new Error('bad work'))),
    /bad work/,
  );
  assert.equal(await queue('a', async () => 'done'), 'done');
  const all = ['a', 'b', 'c'].map((name) => ask(name, name));
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['a', 'b']);
  await endNext();
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await endNext();
  await endNext();
  await Promise.all(all);
});

test('waiting work is bounded for each key, and others do not count', async () => {
  const { ask, endNext, full } = world(1, 2);
  const taken = [ask('a', 'running'), ask('a', 'first'), ask('a', 'second'), ask('b', 'other')];
  await assert.rejects(ask('a', 'third'), TooMany);
  assert.equal(full.count, 1);
  for (const _ of taken) await endNext();
  await Promise.all(taken);
});

test('a key has no more places than one of them may have, whatever is free', async () => {
  const { begun, ask, endNext } = world(4, 100, 2);
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'].map((name) => ask(name[0] ?? '', name));
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2']);
  for (const _ of all) await endNext();
  assert.deepEqual(begun, ['a1', 'a2', 'b1', 'b2', 'c1', 'a3', 'a4', 'b3']);
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1']);
});
