import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createLocalRateWindow } from '#adapters/local/rate-window.ts';
import { createAttemptWindow, createRedisRateWindow } from '#adapters/redis/rate-window.ts';
import { until } from '#test/support/runner/until.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';

let redis: Awaited<ReturnType<typeof startRedis>>;
before(async () => {
  redis = await startRedis();
});
after(() => redis.server.remove());

/** Opens a connected window as one process has it. */
async function window() {
  const rates = createRedisRateWindow({ url: redis.url, installation: 'test' });
  await rates.opened;
  return rates;
}

test('two processes share one window; of calls at one instant each counts', async () => {
  const [a, b] = [await window(), await window()];
  const takes = await Promise.all(
    Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? a : b).take('user:1', 150, 60_000)),
  );
  assert.equal(takes.filter(({ slot }) => slot !== null).length, 150);
  const counted = takes.filter(({ slot }) => slot !== null).map(({ remaining }) => remaining);
  assert.deepEqual(new Set(counted).size, 150, 'each call saw another count');
  const refused = await a.take('user:1', 150, 60_000);
  assert.equal(refused.slot, null);
  assert.equal(refused.remaining, 0);
  assert.ok(refused.resetMs > 50_000 && refused.resetMs <= 60_000, String(refused.resetMs));
  assert.notEqual((await b.take('user:2', 1, 60_000)).slot, null);
  await Promise.all([a.close(), b.close()]);
});

test('a window slides: refused calls are not counted, a call given back makes room', async () => {
  const rates = await window();
  const first = await rates.take('slides', 2, 3000);
  assert.ok(first.slot !== null && first.remaining === 1 && first.resetMs === 3000);
  const second = await rates.take('slides', 2, 3000);
  for (let i = 0; i < 50; i += 1) assert.equal((await rates.take('slides', 2, 3000)).slot, null);
  await rates.giveBack('slides', second.slot ?? '');
  assert.notEqual((await rates.take('slides', 2, 3000)).slot, null);
  await until(async () => (await rates.take('slides', 2, 3000)).slot !== null);
  assert.equal((await rates.take('none', 0, 3000)).slot, null);
  await rates.close();
});

test('without Redis a call fails soon; when Redis is back it is asked again', async () => {
  const rates = await window();
  await redis.server.end('SIGKILL');
  for (let i = 0; i < 20; i += 1) {
    const begun = performance.now();
    await assert.rejects(rates.take('user:3', 1, 60_000));
    assert.ok(performance.now() - begun < 5000, 'it waited for Redis');
  }
  await redis.server.start();
  await until(() =>
    rates.take('user:3', 1, 60_000).then(
      ({ slot }) => slot === null,
      () => false,
    ),
  );
  await rates.close();
});

test('a Redis that hangs delays no call for long', async () => {
  const rates = await window();
  redis.server.freeze(true);
  const begun = performance.now();
  const calls = await Promise.allSettled(Array.from({ length: 50 }, () => rates.take('user:4', 50, 60_000)));
  assert.ok(calls.every(({ status }) => status === 'rejected'));
  assert.ok(performance.now() - begun < 5000, 'it waited for Redis');
  redis.server.freeze(false);
  await until(() =>
    rates.take('user:5', 1, 60_000).then(
      ({ slot }) => slot !== null,
      () => false,
    ),
  );
  await rates.close();
});

test('tries to sign in are counted by the process itself while Redis is away', async () => {
  const rates = await window();
  let failures = 0;
  const attempts = createAttemptWindow(rates, createLocalRateWindow(), () => {
    failures += 1;
  });
  const first = await attempts.take('sign-in', 1, 60_000);
  assert.equal((await attempts.take('sign-in', 1, 60_000)).slot, null);
  await attempts.giveBack('sign-in', first.slot ?? '');
  assert.notEqual((await attempts.take('sign-in', 1, 60_000)).slot, null);
  assert.equal(failures, 0);

  await redis.server.end('SIGKILL');
  const alone = await attempts.take('sign-in', 1, 60_000);
  assert.equal((await attempts.take('sign-in', 1, 60_000)).slot, null);
  await attempts.giveBack('sign-in', alone.slot ?? '');
  assert.notEqual((await attempts.take('sign-in', 1, 60_000)).slot, null);
  assert.equal(failures, 4);
  await redis.server.start();
  await rates.close();
});

test('without Redis a process starts all the same', async () => {
  const rates = createRedisRateWindow({ url: 'redis://127.0.0.1:1', installation: 'test' });
  await rates.opened;
  await rates.close();
});
