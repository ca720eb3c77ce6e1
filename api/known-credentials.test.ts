import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { readConfig } from '#setup/config.ts';
import type { Caller, Credential, Ctx } from './context.ts';
import { KnownCredentials } from './known-credentials.ts';

const config = readConfig({});
const request = (key: string, caller: Caller | null = null, url = '/api/messages') => {
  const req = { url, headers: { authorization: `Bearer ${key}` } };
  return { req, state: { caller }, get: () => key, cookies: { get: () => undefined } } as unknown as Ctx;
};
const caller = (userId: number, credential: Credential) => ({ userId, credential }) as Caller;
const next = async () => {};

test('a credential leads to its user after it was valid', async () => {
  const known = new KnownCredentials({ config });
  assert.equal(known.userOf(request('sp_a')), null);
  await known.remember(request('sp_a'), next);
  assert.equal(known.userOf(request('sp_a')), null, 'its caller was not identified');
  await known.remember(request('sp_a', caller(7, { key: 'sp_a' })), next);
  await known.remember(request('sp_b', caller(7, { key: 'sp_b' })), next);
  assert.deepEqual(
    ['sp_a', 'sp_b', 'sp_c', ''].map((key) => known.userOf(request(key))),
    [7, 7, null, null],
  );
  const toProvider = (key: string) => request(key, null, '/providers/sendgrid/v3/mail/send');
  assert.equal(known.userOf(toProvider('sp_b')), 7, 'a key in the place of its provider');
});

test('the oldest of 10,000 credentials is dropped', async () => {
  const known = new KnownCredentials({ config });
  for (let id = 0; id <= 10_000; id += 1) {
    await known.remember(request(`${id}`, caller(id, { key: `${id}` })), next);
  }
  assert.deepEqual(
    ['0', '1', '10000'].map((key) => known.userOf(request(key))),
    [null, 1, 10_000],
  );
});

test('a credential is remembered by a digest, and never by its text', async () => {
  const known = new KnownCredentials({ config });
  const set = mock.method(Map.prototype, 'set');
  await known.remember(request('sp_secret', caller(7, { key: 'sp_secret' })), next);
  const kept = set.mock.calls.map(({ arguments: [key] }) => String(key));
  set.mock.restore();
  assert.ok(kept.length > 0);
  assert.ok(!kept.some((key) => key.includes('sp_secret')), kept.join());
});
