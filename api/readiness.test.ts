import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '#core/errors.ts';
import type { Ctx } from './context.ts';
import { serveReadiness } from './readiness.ts';

const open = new AbortController().signal;

/** Requests once. Returns the response's status and text. */
async function ask(handler: ReturnType<typeof serveReadiness>): Promise<[number, string]> {
  const ctx = { path: '/readyz', method: 'GET', state: {}, set: () => {}, status: 404, body: '' };
  await handler(ctx as unknown as Ctx, async () => {});
  return [ctx.status, ctx.body];
}

/** Outcomes of a check, and the response. */
const outcomes: [() => Promise<void>, AbortSignal, number, string][] = [
  [async () => {}, open, 200, 'ok\n'],
  [
    () => Promise.reject(new StoreUnavailable('connect ECONNREFUSED 10.0.0.7:27017')),
    open,
    503,
    'the store cannot be reached\n',
  ],
  [() => Promise.reject(new TypeError('x')), open, 503, 'the store cannot be reached\n'],
  [async () => {}, AbortSignal.abort(), 503, 'shutting down\n'],
];

for (const [ready, closing, status, text] of outcomes) {
  test(`readiness is ${status} ${text.trim()}`, async () => {
    assert.deepEqual(await ask(serveReadiness({ ready }, closing)), [status, text]);
  });
}

test('one check answers all who ask within a second', async (t) => {
  let now = 0;
  let checks = 0;
  t.mock.method(performance, 'now', () => now);
  const ready = async () => {
    checks += 1;
  };
  const handler = serveReadiness({ ready }, open);
  await Promise.all(Array.from({ length: 100 }, () => ask(handler)));
  now = 1000;
  await ask(handler);
  assert.equal(checks, 1);
  now = 1001;
  await ask(handler);
  assert.equal(checks, 2);
});
