import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { McpWriter, newestRevision } from '#test/support/clients/mcp.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await scene({ SANDPOST_ALLOWED_ORIGINS: 'https://tools.example' });
const mcp: McpWriter = new McpWriter(program, { authorization: `Bearer ${user.key}` });

test('a request without a key, or with a wrong one, is challenged to send a bearer token', async () => {
  for (const [headers, detail] of [
    [{}, /^Send an API key as a bearer token, or sign in$/],
    [{ authorization: 'Bearer sp_wrong' }, /^The API key is unknown/],
    [{ 'x-api-key': 'sp_wrong' }, /^The API key is unknown/],
    [{ authorization: `Basic ${btoa(`x:${user.key}`)}` }, /^Send an API key/],
  ] as const) {
    const refused = await new McpWriter(program, headers).request('tools/list');
    assert.deepEqual([refused.status, refused.json.code], [401, 'unauthenticated']);
    assert.match(refused.json.detail, detail);
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer /);
  }
  const { status } = await new McpWriter(program, { 'x-api-key': user.key }).request('tools/list');
  assert.equal(status, 200);
  const bearer = { authorization: `Bearer ${user.key}` };
  const rest = await new HttpClient(program, bearer).get('/api/messages');
  assert.deepEqual(
    [rest.status, rest.headers['www-authenticate']],
    [401, 'ApiKey header="X-API-KEY"'],
    'the REST API keeps its own header',
  );
});

test('a page of another site is refused, one that the settings allow is not', async () => {
  const from = (origin: string) => mcp.send('{}', { origin });
  const refused = await from('https://evil.example');
  assert.deepEqual([refused.status, refused.json.code], [403, 'foreign_origin']);
  for (const origin of ['https://tools.example', program.baseUrl])
    assert.notEqual((await from(origin)).status, 403, origin);
});

test('an unknown revision is refused with those that are known', async () => {
  const refused = await mcp.request('tools/list', {}, '2031-01-01');
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.json.error.data.supported, [newestRevision]);
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const before = await mcp.send(message, { 'mcp-protocol-version': '1999-01-01' });
  assert.equal(before.status, 400);
  assert.match(before.json.error.message, /2025-11-25/);
});

const wrongBodies: [string, string, number][] = [
  ['no JSON', 'hello', 400],
  ['nothing', '', 400],
  ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]', 400],
  ['a number', '7', 400],
  ['no message', '{}', 400],
  ['21 levels', `${'{"a":'.repeat(21)}1${'}'.repeat(21)}`, 400],
  ['10,001 values', `{"a":[${'1,'.repeat(10_000)}1]}`, 400],
  ['more than 64 KiB', JSON.stringify({ a: 'x'.repeat(65_536) }), 413],
];
for (const [name, body, expected] of wrongBodies) {
  test(`a body is refused: ${name}`, async () => {
    assert.equal((await mcp.send(body)).status, expected);
  });
}

test('a body that is too large is counted under its own limit', async () => {
  const reached = async () => (await limitsReached(program.opsPorts.api)).get('http.bodyBytes') ?? 0;
  const before = await reached();
  await mcp.send(JSON.stringify({ a: 'x'.repeat(65_536) }));
  assert.equal(await reached(), before + 1);
});

test('another type, another method and a path below are refused as in the REST API', async () => {
  assert.equal((await mcp.send('a=1', { 'content-type': 'text/plain' })).status, 400);
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await fetch(`${program.baseUrl}/mcp`, {
      method,
      headers: { 'x-api-key': user.key },
    });
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method);
  }
  assert.equal((await fetch(`${program.baseUrl}/mcp/x`, { method: 'POST' })).status, 404);
});

test('an unknown tool or method is an error of the protocol', async () => {
  const { json } = await mcp.request('tools/call', { name: 'rm_rf', arguments: {} });
  assert.equal(json.error.code, -32602);
  const { json: other } = await mcp.request('resources/list');
  assert.equal(other.error.code, -32601);
  const { json: listed } = await mcp.request('subscriptions/listen', {});
  assert.ok(listed.error, 'no stream stays open');
  const { json: wrong } = await mcp.request('tools/call', { name: 'search_mail', arguments: 'x' });
  assert.ok(wrong.error);
});

const wrongArguments: [string, Record<string, unknown>, string, RegExp][] = [
  ['read_mail', {}, 'message_id', /is required/],
  ['read_mail', { message_id: 'x' }, 'message_id', /whole number/],
  ['read_mail', { message_id: 1.5 }, 'message_id', /whole number/],
  ['read_mail', { message_id: [1] }, 'message_id', /must be a string, a number or a boolean/],
  ['read_mail', { message_id: 1, html: 'yes' }, 'html', /true or false/],
  ['search_mail', { subjct: 'x' }, 'subjct', /nearest parameter is subject/],
  ['search_mail', { limit: 51 }, 'limit', /from 1 to 50/],
  ['search_mail', { q: 'x'.repeat(1001) }, 'q', /1000/],
  ['wait_for_mail', { within: 51 }, 'within', /from 0 to 50/],
  ['wait_for_mail', { within: 0, after: 9_007_199_254_740_991 }, 'after', /./],
  ['get_attachment', { message_id: 1 }, 'attachment_id', /is required/],
  ['create_address', { name: 'a'.repeat(201) }, 'name', /./],
  ['search_mail', { foo: 'x' }, 'foo', /unknown; the parameters are q, address, from, subject, text, tag, /],
  ['compare_mail', { left: { message_id: 1 } }, 'right', /is required/],
  ['compare_mail', { left: 1, right: 2 }, 'left', /./],
  ['simulate_failure', { stage: 'lunch' }, 'stage', /./],
  ['simulate_failure', { times: '2' }, 'times', /./],
  ['simulate_failure', { adress: 'a@app.test' }, 'adress', /is unknown/],
  ['simulate_failure', { match: { adress: 'a@app.test' } }, 'match.adress', /./],
  ['simulate_failure', { match: 7 }, 'match', /./],
];
for (const [name, given, field, message] of wrongArguments) {
  test(`${name} refuses ${JSON.stringify(given).slice(0, 60)}, and names ${field}`, async () => {
    const { status, code, violations } = await mcp.refusal(name, given);
    assert.deepEqual([status, code, violations[0].field], [422, 'validation_failed', field]);
    assert.match(violations[0].message, message);
  });
}

test('check_mail names clients that it does not know', async () => {
  const id = await deliverOne(program, { to: user.address });
  const { violations } = await mcp.refusal('check_mail', { message_id: id, clients: 'netscape' });
  assert.equal(violations[0].field, 'clients');
});

test('a thousand calls over 200 connections are answered, while another user is served', async () => {
  const other = await createUser(program);
  const id = await deliverOne(program, { to: user.address, text: 'Hello' });
  let left = 1000;
  const connection = async () => {
    for (; left > 0; left -= 1) assert.equal((await mcp.call('read_mail', { message_id: id })).id, id);
  };
  const calls = Promise.all(Array.from({ length: 200 }, connection));
  assert.equal((await other.api.get('/api/messages')).status, 200);
  assert.ok(left > 0, 'the other user was served before the calls were over');
  await calls;
});

test('waits of a user are bounded, and end with their clients', async () => {
  const gone = new AbortController();
  const leaving = new McpWriter(program, { authorization: `Bearer ${user.key}` }, gone.signal);
  const given = { address: `nobody@${user.domain.domain}`, within: 50 };
  const waits = Array.from({ length: 100 }, () => leaving.result('wait_for_mail', given));
  const isFull = async () => {
    const { isError, content } = await mcp.result('wait_for_mail', { ...given, within: 0 });
    return isError === true && JSON.parse(content[0].text).code === 'too_many_waits';
  };
  await until(isFull);
  gone.abort();
  for (const { status } of await Promise.allSettled(waits)) assert.equal(status, 'rejected');
  await until(async () => !(await isFull()));
  const unexpected = program.log.filter(({ event }) => event === 'http.failed');
  assert.deepEqual(unexpected, []);
});

test('the texts for language models need no key', async () => {
  for (const [path, type, first] of [
    ['/llms.txt', 'text/plain', '# Sandpost'],
    ['/skills/sandpost/SKILL.md', 'text/markdown', '---\nname: sandpost\ndescription: '],
  ] as const) {
    for (const accept of ['*/*', 'text/html,*/*']) {
      const response = await fetch(program.baseUrl + path, { headers: { accept } });
      const text = await response.text();
      assert.deepEqual(
        [response.status, response.headers.get('content-type')],
        [200, `${type}; charset=utf-8`],
      );
      assert.ok(text.startsWith(first));
      assert.ok(Buffer.byteLength(text) < 4096);
    }
  }
});
