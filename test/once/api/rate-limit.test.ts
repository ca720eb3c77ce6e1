import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { McpWriter } from '#test/support/clients/mcp.ts';
import { startProgram } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';

/** Requests that `createUser` itself makes: a token by cookie, a domain, an account. */
const spent = 3;
const limit = 20;

const program = await forAllTests(startProgram({ SANDPOST_RATE_LIMIT: String(limit) }));

test('a user’s keys and sessions share one window; refused requests are not counted; others go on', async () => {
  const user = await createUser(program);
  const session = new HttpClient(program, { cookie: user.cookie });
  const calls = [
    () => user.api.get('/api/domains'),
    () => session.get('/api/domains'),
    () => user.api.call('HEAD', '/api/domains'),
    () => user.api.get('/api/domains/999999'),
    () => user.api.get('/api/domains?page=0'),
    () => user.api.post('/api/domains'),
    () => user.api.get('/api/nothing'),
    () => user.api.call('PUT', '/api/domains'),
  ];
  for (let count = spent + 1; count <= limit; count += 1) {
    const { status, headers } = await (calls[count % calls.length] ?? (() => session.get('/api/domains')))();
    assert.notEqual(status, 429);
    assert.equal(headers['ratelimit-limit'], String(limit));
    assert.equal(headers['ratelimit-remaining'], String(limit - count), String(status));
    const reset = Number(headers['ratelimit-reset']);
    assert.ok(Number.isInteger(reset) && reset >= 1 && reset <= 60);
  }
  for (const call of [...calls, ...calls, ...calls]) {
    const { status, headers } = await call();
    assert.equal(status, 429);
    assert.equal(headers['ratelimit-remaining'], '0');
    assert.ok(Number(headers['ratelimit-reset']) >= 1);
    assert.equal(headers['retry-after'], headers['ratelimit-reset']);
  }
  assert.equal((await user.api.get('/api/health')).status, 200, 'what is public is not counted');
  const other = await createUser(program);
  const { headers } = await other.api.get('/api/domains');
  assert.equal(headers['ratelimit-remaining'], String(limit - spent - 1));
});

test('unknown callers are not counted, and get no rate-limit headers', async () => {
  for (let index = 0; index <= limit; index += 1) {
    const { status, headers } = await new HttpClient(program, { 'x-api-key': 'wrong' }).get('/api/domains');
    assert.equal(status, 401);
    assert.equal(headers['ratelimit-limit'], undefined);
  }
});

test('a minute has as many calls as requests, over both APIs', async () => {
  const poor = await createUser(program);
  const tools = new McpWriter(program, { authorization: `Bearer ${poor.key}` });
  let last = await tools.request('tools/list');
  for (let count = 0; count < limit && last.status === 200; count += 1)
    last = await tools.request('tools/list');
  assert.deepEqual([last.status, last.json.code], [429, 'rate_limited']);
  assert.ok(Number(last.headers.get('retry-after')) >= 1);
  assert.equal((await poor.api.get('/api/messages')).status, 429);
});
