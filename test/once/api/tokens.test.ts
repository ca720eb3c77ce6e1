import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user } = await scene();

test('a key is shown once, listed without its value, and revoked', async () => {
  const made = await ok(user.api.post('/api/tokens', { name: 'nightly' }));
  assert.match(made.key, /^sp_[A-Za-z0-9_-]{43}$/);
  assert.equal(made.token, made.key);
  assert.ok(made.key.startsWith(made.prefix));
  const list = await user.api.get('/api/tokens');
  assert.ok(!list.body.toString().includes(made.key));
  const { key, token, ...metadata } = made;
  assert.deepEqual(list.json.items[0], metadata);
  const other = new HttpClient(program, { 'x-api-key': key });
  assert.equal((await other.get('/api/domains')).status, 200);
  const used = (await ok(user.api.get('/api/tokens'))).items[0];
  assert.ok(used.last_used_at);
  assert.equal((await user.api.delete(`/api/tokens/${made.id}`)).status, 204);
  assert.equal((await other.get('/api/domains')).status, 401);
  assert.equal((await user.api.delete(`/api/tokens/${made.id}`)).status, 404);
});

test('a key needs neither a name nor a body', async () => {
  assert.equal((await ok(user.api.post('/api/tokens'))).name, 'API key');
  assert.equal((await ok(user.api.post('/api/tokens', {}))).name, 'API key');
  const inChunks = { headers: { 'transfer-encoding': 'chunked' } };
  assert.equal((await ok(user.api.post('/api/tokens', undefined, inChunks))).name, 'API key');
  assert.equal((await ok(user.api.post('/api/tokens', { name: 'ö'.repeat(100) }))).name, 'ö'.repeat(100));
});

for (const name of ['', '\u00a0', 'x'.repeat(101), 7, null, 'a\nb', ['x']]) {
  test(`a key is not called ${JSON.stringify(name).slice(0, 20)}`, async () => {
    assert.equal((await user.api.post('/api/tokens', { name })).status, 422);
  });
}

test('the log and the data folder contain no key', async () => {
  const { readFile, readdir } = await import('node:fs/promises');
  const key = Buffer.from(user.key);
  assert.ok(!JSON.stringify(program.log).includes(user.key));
  for (const name of await readdir(program.dataDir)) {
    const content = await readFile(`${program.dataDir}/${name}`);
    assert.ok(!content.includes(key), name);
    assert.ok(!content.includes(user.password), name);
  }
});

for (const key of [
  '',
  'sp_',
  'sp_'.padEnd(46, 'A'),
  `sp_${'é'.repeat(43)}`,
  "' OR 1=1 --",
  'x'.repeat(5000),
]) {
  test(`the key ${JSON.stringify(key).slice(0, 30)} is nobody's`, async () => {
    const stranger = new HttpClient(program, { 'x-api-key': encodeURI(key) });
    const { status, json } = await stranger.get('/api/domains');
    assert.equal(status, 401);
    assert.equal(json.code, 'unauthenticated');
  });
}

test('violations say how long a text may be, and which value repeats', async () => {
  const { json: tooLong } = await user.api.post('/api/auth/register', { email: `${'x'.repeat(250)}@a.test` });
  const { json: repeated } = await user.api.post('/api/tokens', { account_ids: [1, 1] });
  const messages = [tooLong, repeated].flatMap(({ violations }) => violations).map(({ message }) => message);
  assert.deepEqual(messages.slice(-2), ['must have at most 254 characters', 'must not occur twice']);
});
