import assert from 'node:assert/strict';
import { mock, type TestContext, test } from 'node:test';
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

function queueOf(work: WorkQueueOptions<string>['work'], words: Partial<WorkQueueOptions<string>> = {}) {
  const failures: string[] = [];
  const onFailure = (item: string) => {
    failures.push(item);
    return 0;
  };
  const options = { nameOf: (item: string) => item, work, onFailure, workers: 2, random: () => 1, ...words };
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

test('an item added several times is processed once, within the limit of workers', async () => {
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

test('an item added during its processing is processed once more, never by two workers at once', async () => {
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
  const { queue } = queueOf(work, { workers: 1 });
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
