import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ctx } from '#api/context.ts';
import type { RateOutcome } from '#core/access/access.ts';
import { TooMany } from '#core/errors.ts';
import type { Services } from '#setup/services.ts';
import { limitRate } from './admission.ts';

/** Creates the middleware with a window that answers as `take` does. Counts log lines, failures and requests that pass. */
function limiter(take: () => Promise<RateOutcome>) {
  const seen = { logged: 0, failures: 0, passed: 0 };
  const services = {
    rates: { take, giveBack: async () => {} },
    config: { rateLimit: 10 },
    log: {
      error() {
        seen.logged += 1;
      },
    },
    metrics: {
      rateLimitFailures: {
        inc() {
          seen.failures += 1;
        },
      },
    },
  } as unknown as Services;
  const limit = limitRate(services);
  const headers = new Map<string, string>();
  const ctx = {
    state: { caller: { id: 7 } },
    set(fields: Record<string, string>) {
      for (const [name, text] of Object.entries(fields)) headers.set(name, text);
    },
  } as unknown as Ctx;
  const call = () =>
    limit(ctx, async () => {
      seen.passed += 1;
    });
  return { call, seen, headers };
}

const answers: [RateOutcome, string, string, boolean][] = [
  [{ slot: '1', remaining: 9, resetMs: 60_000 }, '9', '60', true],
  [{ slot: '1', remaining: 0, resetMs: 12_001 }, '0', '13', true],
  [{ slot: '1', remaining: 0, resetMs: 1 }, '0', '1', true],
  [{ slot: null, remaining: 0, resetMs: 0 }, '0', '1', false],
  [{ slot: null, remaining: 0, resetMs: 59_000 }, '0', '59', false],
];

for (const [take, remaining, reset, passes] of answers) {
  test(`${JSON.stringify(take)}: ${passes ? 'passes' : 'is refused'}, ${remaining} left, reset in ${reset} s`, async () => {
    const { call, seen, headers } = limiter(async () => take);
    if (passes) await call();
    else
      await assert.rejects(
        call(),
        (error) => error instanceof TooMany && error.retryAfterMs === Number(reset) * 1000,
      );
    assert.equal(seen.passed, passes ? 1 : 0);
    assert.equal(headers.get('RateLimit-Remaining'), remaining);
    assert.equal(headers.get('RateLimit-Reset'), reset);
  });
}

test('requests pass if the window cannot be reached: counted each time, logged once a minute', async () => {
  const { call, seen, headers } = limiter(() => Promise.reject(new Error('gone')));
  for (let index = 0; index < 5; index += 1) await call();
  assert.deepEqual(seen, { logged: 1, failures: 5, passed: 5 });
  assert.equal(headers.get('RateLimit-Limit'), '10');
});
