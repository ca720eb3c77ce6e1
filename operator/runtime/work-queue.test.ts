import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
import { createFairLimiter } from '#gate/fair-limiter.ts';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';

function fakeTime(t: TestContext): void {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise(setImmediate);
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await settle();
}

/** Queue of items whose first letter is the party that they belong to. */
function queueOf(
  work: WorkQueueOptions<string>['work'],
  words: Partial<WorkQueueOptions<string>> & { places?: number; placesPerKey?: number } = {},
) {
  const { places = 2, placesPerKey = places, ...others } = words;
  const failures: string[] = [];
  const onFailure = (item: string) => {
    failures.push(item);
    return 0;
  };
  const options = {
    nameOf: (item: string) => item,
    partyOf: (item: string) => item.slice(0, 1),
    inTurn: createFairLimiter({ places, placesPerKey }),
    work,
    onFailure,
    random: () => 1,
    ...others,
  };
  return { queue: new WorkQueue<string>(options), failures };
}

/** Work that continues when the test opens it. */
function gate() {
  const begun: string[] = [];
  const open: (() => void)[] = [];
  const work = (item: string) =>
    new Promise<null>((resolve) => {
      begun.push(item);
      open.push(() => resolve(null));
    });
  return { begun, open, work };
}

test('an item added several times is processed once, within the limit at a time', async () => {
  const { begun, open, work } = gate();
  const { queue } = queueOf(work);
  for (const item of ['a', 'a', 'b', 'c', 'c', 'a']) queue.add(item);
  await settle();
  assert.deepEqual(begun, ['a', 'b']);
  assert.equal(queue.depth, 1);
  open[0]?.();
  await settle();
  // Item a was added again during its processing, and c has waited longer.
  assert.deepEqual(begun, ['a', 'b', 'c']);
});

test('a flood of one party delays an item of another by nothing, and further ones by one turn', async () => {
  const { begun, open, work } = gate();
  const { queue } = queueOf(work, { places: 4, placesPerKey: 3 });
  for (let at = 0; at < 1000; at++) queue.add(`a${at}`);
  await settle();
  assert.deepEqual(begun, ['a0', 'a1', 'a2']);
  assert.equal(queue.depth, 997);
  for (const item of ['b0', 'b1', 'b2', 'c0']) queue.add(item);
  await settle();
  assert.deepEqual(begun.slice(3), ['b0']);
  for (const end of open.slice(0, 3)) end();
  await settle();
  assert.deepEqual(begun.slice(4).sort(), ['a3', 'b1', 'c0']);
  const stop = queue.stop();
  for (const end of open) end();
  await stop;
  assert.deepEqual([queue.depth, begun.length], [0, 7]);
});

test('an urgent item comes before others of its party, also one that waits or is worked on', async () => {
  const { begun, open, work } = gate();
  const { queue } = queueOf(work, { places: 1 });
  for (const item of ['a0', 'a1', 'a2', 'a3', 'a4']) queue.add(item);
  await settle();
  queue.add('a5', true);
  queue.add('a3', true);
  queue.add('a3');
  queue.add('a0', true);
  assert.equal(queue.depth, 5);
  for (let at = 0; at < 7; at++) {
    open[at]?.();
    await settle();
  }
  assert.deepEqual(begun, ['a0', 'a5', 'a3', 'a0', 'a1', 'a2', 'a4']);
  assert.equal(queue.depth, 0);
  queue.add('a1');
  await settle();
  assert.equal(begun.length, 8);
});

test('urgent items leave every fourth turn to the others of their party', async () => {
  const begun: string[] = [];
  const { queue } = queueOf(
    async (item) => {
      begun.push(item);
      await new Promise(setImmediate);
      if (item.startsWith('au') && begun.length < 12) queue.add(item, true);
      return null;
    },
    { places: 1 },
  );
  for (const item of ['au1', 'au2']) queue.add(item, true);
  for (const item of ['a1', 'a2', 'a3']) queue.add(item);
  while (begun.length < 12) await settle();
  const stop = queue.stop();
  await stop;
  const usual = begun.slice(0, 12).flatMap((item, at) => (item.startsWith('au') ? [] : [[item, at]]));
  assert.deepEqual(usual, [
    ['a1', 3],
    ['a2', 7],
    ['a3', 11],
  ]);
});

test('every item of a random load is worked on after its last addition, never twice at once', async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const working = new Set<string>();
  const owed = new Set<string>();
  const { queue, failures } = queueOf(
    async (item) => {
      assert.ok(!working.has(item), item);
      working.add(item);
      owed.delete(item);
      for (let turns = random(4); turns > 0; turns--) await new Promise(setImmediate);
      working.delete(item);
      return null;
    },
    { places: 4, placesPerKey: 3 },
  );
  for (let round = 0; round < 2000; round++) {
    const item = `${'abc'[random(3)]}${random(20)}`;
    owed.add(item);
    queue.add(item, random(3) === 0);
    if (random(3) === 0) await new Promise(setImmediate);
  }
  while (queue.depth > 0 || working.size > 0) await settle();
  assert.deepEqual([owed.size, failures], [0, []]);
});

test('an item added during its processing is processed once more, never twice at once', async () => {
  const { begun, open, work } = gate();
  const { queue } = queueOf(work);
  queue.add('a');
  await settle();
  queue.add('a');
  queue.add('a');
  await settle();
  assert.deepEqual(begun, ['a']);
  open[0]?.();
  await settle();
  assert.deepEqual(begun, ['a', 'a']);
  open[1]?.();
  await settle();
  assert.deepEqual(begun, ['a', 'a']);
});

test('a failed item is tried again with back-off up to 30 s, and a success resets the back-off', async (t) => {
  fakeTime(t);
  let times = 0;
  let fails = true;
  const { queue, failures } = queueOf(async () => {
    times++;
    if (fails) throw new Error('no');
    return null;
  });
  queue.add('a');
  await settle();
  for (const ms of [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]) {
    const before = times;
    await pass(ms - 1);
    assert.equal(times, before, `not before ${ms} ms`);
    await pass(1);
    assert.equal(times, before + 1, `after ${ms} ms`);
  }
  assert.equal(failures.length, 11);
  fails = false;
  queue.add('a');
  await settle();
  fails = true;
  queue.add('a');
  await settle();
  const before = times;
  await pass(200);
  assert.equal(times, before + 1, 'the shortest delay');
  await queue.stop();
});

test('an item waits as long as its failure demands, and as long as its work returns', async (t) => {
  fakeTime(t);
  let answer: () => Promise<number | null> = () => Promise.reject(new Error('429'));
  let times = 0;
  const work = () => {
    times++;
    return answer();
  };
  const { queue } = queueOf(work, { onFailure: () => 5000 });
  queue.add('a');
  await settle();
  answer = async () => 60_000;
  await pass(4999);
  assert.equal(times, 1);
  await pass(1);
  assert.equal(times, 2);
  await pass(59_999);
  assert.equal(times, 2);
  await pass(1);
  assert.equal(times, 3);
  await queue.stop();
});

test('a stop waits for the current items and starts no other', async () => {
  const { begun, open, work } = gate();
  const { queue } = queueOf(work, { places: 1 });
  queue.add('a');
  queue.add('b');
  await settle();
  let stopped = false;
  const stop = queue.stop().then(() => {
    stopped = true;
  });
  await settle();
  assert.equal(stopped, false);
  open[0]?.();
  await stop;
  queue.add('c');
  await settle();
  assert.deepEqual(begun, ['a']);
});
