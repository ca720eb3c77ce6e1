import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatchLoader } from './batch-loader.ts';

/** Batch loader whose reads end when the test ends them. `readings` has the keys of each read, and its promise. */
function controlled() {
  const readings: { keys: string[]; end: PromiseWithResolvers<Map<string, string>> }[] = [];
  const begun: PromiseWithResolvers<void>[] = [Promise.withResolvers()];
  const get = createBatchLoader((keys: string[]) => {
    const end = Promise.withResolvers<Map<string, string>>();
    readings.push({ keys, end });
    begun.at(-1)?.resolve();
    begun.push(Promise.withResolvers());
    return end.promise;
  });
  const reading = async (index: number) => {
    await begun[index]?.promise;
    const found = readings[index];
    assert.ok(found);
    return found;
  };
  return { get, reading, readings };
}

const upper = (keys: string[]) => new Map(keys.map((key) => [key, key.toUpperCase()]));

test('keys of the same moment are read in one batch, each once', async () => {
  const { get, reading, readings } = controlled();
  const asked = Promise.all([get('a'), get('b'), get('a')]);
  const first = await reading(0);
  assert.deepEqual(first.keys, ['a', 'b']);
  first.end.resolve(upper(['a']));
  assert.deepEqual(await asked, ['A', null, 'A']);
  assert.equal(readings.length, 1);
});

test('a key that is requested during a read is read again by the next batch', async () => {
  const { get, reading, readings } = controlled();
  const early = get('a');
  const first = await reading(0);
  const late = Promise.all([get('a'), get('b')]);
  first.end.resolve(new Map([['a', 'old']]));
  assert.equal(await early, 'old');
  const second = await reading(1);
  assert.deepEqual(second.keys, ['a', 'b']);
  second.end.resolve(upper(second.keys));
  assert.deepEqual(await late, ['A', 'B']);
  assert.equal(readings.length, 2);
});

test('a failing read rejects its own batch only', async () => {
  const { get, reading } = controlled();
  const asked = Promise.allSettled([get('a'), get('b')]);
  (await reading(0)).end.reject(new Error('gone'));
  assert.deepEqual(
    (await asked).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  const again = get('a');
  (await reading(1)).end.resolve(upper(['a']));
  assert.equal(await again, 'A');
});
