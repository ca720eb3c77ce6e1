import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller, Ctx } from './context.ts';
import { KnownCredentials } from './known-credentials.ts';

const request = (headers: Record<string, string>, caller: Caller | null = null) =>
  ({ state: { caller }, get: (name: string) => headers[name] ?? '' }) as unknown as Ctx;
const someone = {} as Caller;
const next = async () => {};

test('a credential is known after it was valid, and others share one name', async () => {
  const known = new KnownCredentials();
  const key = { 'x-api-key': 'sp_a' };
  assert.equal(known.of(request(key)), '');
  await known.remember(request(key), next);
  assert.equal(known.of(request(key)), '', 'its caller was not identified');
  await known.remember(request(key, someone), next);
  assert.equal(known.of(request(key)), 'sp_a');
  await known.remember(request({ cookie: 'session=b' }, someone), next);
  assert.equal(known.of(request({ cookie: 'session=b' })), 'session=b');
  assert.equal(known.of(request({ 'x-api-key': 'sp_b', cookie: 'session=b' })), '');
});

test('the oldest of 10,000 credentials is dropped', async () => {
  const known = new KnownCredentials();
  for (let at = 0; at <= 10_000; at += 1) await known.remember(request({ cookie: `${at}` }, someone), next);
  assert.deepEqual(
    ['0', '1', '10000'].map((cookie) => known.of(request({ cookie }))),
    ['', '1', '10000'],
  );
});
