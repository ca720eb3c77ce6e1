import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Store, UpkeepStep } from '#core/store.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { runUpkeep, type UpkeepPorts } from './upkeep.ts';

/** Upkeep on a store whose only task is one removal, which takes as long as the test specifies. */
function world() {
  const claims: [holder: string, at: number][] = [];
  let finish = () => {};
  const removal = new Promise<UpkeepStep>((resolve) => {
    finish = () => resolve({ more: false, removed: [] });
  });
  const store = {
    leases: {
      // A claim for zero time releases the lease.
      claim: async (_name: string, holder: string, ttl: number, now: Date) =>
        ttl === 0 || claims.push([holder, now.getTime()]) > 0,
    },
    domains: { dueForCheck: async () => [] },
    moves: { step: async () => null },
    upkeep: () => removal,
  } as unknown as Store;
  const ports: UpkeepPorts = {
    store,
    bus: { announce: () => {}, listen: () => () => {} },
    mx: { resolveMx: async () => assert.fail('nothing is due') },
    clock: () => new Date(),
    log: createLog('silent'),
    metrics: createMetrics(),
    overflow: { diskRefused: () => {} },
    mxHosts: [],
    pace: { pendingMs: 60_000, settledMs: 600_000 },
    retentionDays: 90,
  };
  return { ports, claims, finish };
}

test('a round that takes longer than the lease renews it on the way', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
  const { ports, claims, finish } = world();
  const stopping = new AbortController();
  const ended = runUpkeep(ports, 'a', stopping.signal);
  while (claims.length < 1) await turn();
  for (let i = 0; i < 5; i += 1) await turn();
  for (let i = 0; i < 9; i += 1) t.mock.timers.tick(10_000);
  assert.deepEqual(
    claims.map(([, at]) => at),
    Array.from({ length: 10 }, (_, i) => i * 10_000),
  );
  stopping.abort();
  finish();
  await ended;
  t.mock.timers.tick(60_000);
  assert.equal(claims.length, 10, 'and no longer than it takes');
});

test('a round finishes the move of a domain that a request left', async () => {
  const { ports, finish } = world();
  const stopping = new AbortController();
  const announced: number[] = [];
  const steps = [false, true].map((done) => ({ commits: [{ owner: 7, result: 1, events: [] }], done }));
  ports.bus.announce = (owner) => void announced.push(owner);
  ports.store.moves.step = async () => {
    const step = steps.shift() ?? null;
    if (step === null) stopping.abort();
    return step;
  };
  finish();
  await runUpkeep(ports, 'a', stopping.signal);
  assert.deepEqual(announced, [7, 7]);
});
