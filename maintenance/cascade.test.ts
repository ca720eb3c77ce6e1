import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store, UpkeepStep } from '#core/store.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { until } from '#test/support/runner/until.ts';
import { createCascade } from './upkeep.ts';

/** Cascade over a store whose removals end when the test says so. */
function world() {
  const steps: PromiseWithResolvers<UpkeepStep>[] = [];
  const upkeep = () => {
    const step = Promise.withResolvers<UpkeepStep>();
    steps.push(step);
    return step.promise;
  };
  const announced: number[] = [];
  const bus = { announce: (owner: number) => announced.push(owner), listen: () => () => {} };
  const store = { upkeep } as unknown as Store;
  const clock = () => new Date();
  const ports = { store, bus, metrics: createMetrics(), log: createLog('silent'), clock };
  return { steps, announced, ports };
}

test('a run removes until nothing is left, one at a time, and another one follows a call during it', async () => {
  const { steps, announced, ports } = world();
  const cascade = createCascade(ports, new AbortController().signal);
  cascade.begin();
  await until(() => steps.length === 1);
  steps[0]?.resolve({ more: true, removed: [{ owner: 7, events: [], result: 3 }] });
  await steps[0]?.promise;
  await until(() => steps.length === 2);
  assert.deepEqual(announced, [7]);
  cascade.begin();
  assert.equal(steps.length, 2, 'one run at a time');
  steps[1]?.resolve({ more: false, removed: [] });
  await until(() => steps.length === 3);
  steps[2]?.resolve({ more: false, removed: [] });
  await cascade.settled();
  assert.equal(steps.length, 3);
});

test('a run that fails leaves the next one possible', async () => {
  const { steps, ports } = world();
  const cascade = createCascade(ports, new AbortController().signal);
  cascade.begin();
  await until(() => steps.length === 1);
  steps[0]?.reject(new Error('away'));
  await cascade.settled();
  cascade.begin();
  await until(() => steps.length === 2);
  steps[1]?.resolve({ more: false, removed: [] });
  await cascade.settled();
});

test('nothing begins once the program stops', async () => {
  const { steps, ports } = world();
  const cascade = createCascade(ports, AbortSignal.abort());
  cascade.begin();
  await cascade.settled();
  assert.equal(steps.length, 0);
});
