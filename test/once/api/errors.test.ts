import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { scene } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';

const { program, user } = await scene();
after(() =>
  assert.deepEqual(
    program.log.filter((line) => line.event === 'http.failed'),
    [],
    'nothing here is a fault of ours',
  ),
);

/** Returns a server's response to these bytes, until the connection ends. */
async function rawAnswer(bytes: string | Buffer): Promise<string> {
  const socket = connect(program.httpPort, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

test('a problem has type, title, status, code, detail and the request id', async () => {
  const { json, headers } = await user.api.get('/api/domains/999999', {
    headers: { 'x-request-id': 'my-request.1' },
  });
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.deepEqual(json, {
    type: 'about:blank',
    title: 'Not Found',
    status: 404,
    code: 'not_found',
    detail: json.detail,
    request_id: 'my-request.1',
  });
  assert.equal(headers['x-request-id'], 'my-request.1');
  for (const id of ['', 'a b', 'x'.repeat(129), 'a"b', '<script>']) {
    const answer = await user.api.get('/api/health', { headers: { 'x-request-id': id } });
    assert.match(answer.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
  }
});

for (const id of [
  '0',
  '-1',
  '01',
  '1.0',
  '1e3',
  'abc',
  '9007199254740992',
  '99999999999999999999',
  '%31',
  '%00',
  '%zz',
  '%E0%A4%A',
  '..%2f1',
  '%20',
]) {
  test(`GET /api/domains/${id} is 404`, async () => {
    // "%31" is another spelling of 1, and the first domain may be this user's.
    const { status } = await user.api.get(`/api/domains/${id}`);
    assert.equal(status, id === '%31' && user.domain.id === 1 ? 200 : 404);
  });
}

for (const path of [
  '/api',
  '/api/',
  '/api/domains/',
  '/api/Domains',
  '/API/domains',
  '//api/domains',
  '/api/nothing',
  '/nothing',
  '/api/domains/1/x',
  '/%',
  '/api/%',
]) {
  test(`GET ${path} is 404, known or not`, async () => {
    const { status, headers } = await user.api.get(path);
    assert.equal(status, 404);
    assert.ok(Number(headers['ratelimit-limit']) > 0);
  });
}

test('a 404 names what is missing, and tells a foreign id and an unknown one alike', async () => {
  const other = await createUser(program);
  const { id } = other.account;
  const cases: [path: string, detail: string][] = [
    [`/api/accounts/${id}`, 'No account has this id'],
    ['/api/accounts/999999', 'No account has this id'],
    [`/api/accounts/${id}/mailboxes/8`, 'No mailbox in this account has this id'],
    [`/api/accounts/${id}/mailboxes/8/messages`, 'No mailbox in this account has this id'],
    ['/api/messages/999999/attachments/2', 'No attachment in this message has this id'],
    ['/api/domains/seven', 'No domain has this id'],
    ['/api/nothing', 'This path does not exist. /api/openapi.json lists all paths'],
  ];
  for (const [path, detail] of cases) {
    const { status, json } = await user.api.get(path);
    assert.deepEqual([status, json.detail], [404, detail]);
  }
  const { json } = await user.api.call('DELETE', '/api/tokens/999999');
  assert.equal(json.detail, 'No API key has this id');
});

const traversals = [
  '../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f',
  '..\\..\\x',
  '....//',
  '%252e%252e%252f',
  '/etc/passwd',
  'C:%5cx',
  '%c0%ae%c0%ae/',
  '1;.js',
];

test('no traversal reaches anything through any id', async () => {
  const slots = [
    (id: string) => `/api/domains/${id}`,
    (id: string) => `/api/accounts/${id}`,
    (id: string) => `/api/accounts/${user.account.id}/mailboxes/${id}`,
    (id: string) => `/api/messages/${id}`,
    (id: string) => `/api/messages/${id}/raw`,
    (id: string) => `/api/messages/1/attachments/${id}`,
    (id: string) => `/api/docs/${id}`,
  ];
  for (const slot of slots) {
    for (const id of traversals) assert.equal((await user.api.get(slot(id))).status, 404, slot(id));
  }
});

test('a known path with another method is 405 and names those that work', async () => {
  const cases: [string, string, string][] = [
    ['PUT', '/api/tokens', 'GET, HEAD, POST'],
    ['POST', `/api/domains/${user.domain.id}`, 'DELETE, GET, HEAD, PATCH'],
    ['OPTIONS', '/api/domains', 'GET, HEAD, POST'],
    ['TRACE', '/api/health', 'GET, HEAD'],
    ['PROPFIND', '/api/domains', 'GET, HEAD, POST'],
    ['DELETE', '/api/openapi.json', 'GET, HEAD'],
    ['GET', '/api/auth/login', 'POST'],
  ];
  for (const [method, path, allowed] of cases) {
    const { status, headers, json } = await user.api.call(method, path);
    assert.equal(status, 405, `${method} ${path}`);
    assert.equal(json.code, 'method_not_allowed');
    assert.deepEqual((headers.allow ?? '').split(', ').sort(), allowed.split(', '));
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
});

test('a body that cannot be read is 400', async () => {
  const bodies: [string, Record<string, string>][] = [
    ['{', {}],
    ['[]', {}],
    ['"x"', {}],
    ['null', {}],
    ['{"domain":"x.test"}', { 'content-type': 'text/plain' }],
    ['{"domain":"x.test"}', { 'content-type': 'application/json; charset=utf-16' }],
    ['{"domain":"x.test"}', { 'content-encoding': 'gzip' }],
    ['{"domain":"x.test"}', { 'content-type': '' }],
    [`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, {}],
    ['', {}],
  ];
  for (const [body, headers] of bodies) {
    const options = { body, headers: { 'content-type': 'application/json', ...headers } };
    const { status, json } = await user.api.post('/api/domains', undefined, options);
    assert.equal(status, 400, body.slice(0, 40));
    assert.equal(json.code, 'malformed_request');
  }
});

test('JSON under other JSON content types is taken', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'application/JSON;charset="UTF-8"',
    'application/merge-patch+json',
  ]) {
    const options = { body: '{"is_active":true}', headers: { 'content-type': type } };
    assert.equal((await user.api.call('PATCH', `/api/domains/${user.domain.id}`, options)).status, 200, type);
  }
});

test('__proto__ and constructor change nothing', async () => {
  const body = '{"__proto__":{"domain":"proto.test"},"constructor":{"prototype":{"domain":"x"}}}';
  const headers = { 'content-type': 'application/json' };
  assert.equal((await user.api.post('/api/domains', undefined, { body, headers })).status, 422);
  assert.equal((await user.api.get('/api/domains?__proto__=1&constructor=2&toString=3')).status, 422);
});

test('operators instead of values find nothing', async () => {
  for (const value of [{ $ne: null }, { $gt: '' }, ['x'], true]) {
    for (const field of ['email', 'password', 'api_key']) {
      const { status } = await user.api.post('/api/auth/login', {
        email: 'a@b.test',
        password: 'x',
        [field]: value,
      });
      assert.equal(status, 422);
    }
  }
  assert.equal((await user.api.get('/api/domains?domain[$ne]=x')).status, 422, 'an unknown name');
  assert.equal((await user.api.get('/api/domains?domain=%7B%22$ne%22:1%7D')).json.pagination.total, 0);
});

test('a body over the limit is 413, announced or not, and the client can read that', async () => {
  const body = JSON.stringify({ domain: 'x'.repeat(1024 * 1024) });
  const headers = { 'content-type': 'application/json' };
  const whole = await user.api.post('/api/domains', undefined, { body, headers });
  assert.equal(whole.status, 413);
  assert.equal(whole.json.code, 'payload_too_large');
  const chunks = `${(64 * 1024).toString(16)}\r\n${'x'.repeat(64 * 1024)}\r\n`.repeat(32);
  const head = `POST /api/domains HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${user.key}\r\nContent-Type: application/json\r\n`;
  const answer = await rawAnswer(
    `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 413 /);
  const huge = await rawAnswer(`${head}Content-Length: 99999999999\r\n\r\n{`);
  assert.match(huge, /^HTTP\/1\.1 413 [\s\S]*connection: close/i);
});

const unreadable: [string, string | Buffer, RegExp][] = [
  ['no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['no Host', 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['headers of 20 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
  [
    'two lengths',
    'POST /api/domains HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'length and chunks',
    'POST /api/domains HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx',
    /^HTTP\/1\.1 400 /,
  ],
  [
    'a target that is no URL',
    'GET http://[::1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 40[04] /,
  ],
  ['NUL in a header', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n'), /^HTTP\/1\.1 400 /],
];

for (const [name, bytes, expected] of unreadable) {
  test(`bytes that are no request are answered with a problem: ${name}`, async () => {
    const answer = await rawAnswer(bytes);
    assert.match(answer, expected);
    assert.match(answer, /content-type: application\/problem\+json/i);
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    assert.ok(body.code && body.request_id);
  });
}

test('no host or forwarded header changes an address that we give out, nor leads anywhere', async () => {
  const hosts = ['evil.example', 'localhost:1', '127.0.0.1', 'a@b', '[::1]', ''];
  for (const host of hosts) {
    const headers = {
      host,
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const { json } = await user.api.get('/api/openapi.json', { headers });
    assert.deepEqual(json.servers, [{ url: 'http://localhost:8080' }]);
  }
  for (const next of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)']) {
    for (const path of ['/', '/api/docs', '/api/auth/session', '/api/auth/login']) {
      const { status, headers } = await user.api.get(`${path}?next=${encodeURIComponent(next)}`);
      assert.ok(status < 300 || status >= 400, path);
      assert.equal(headers.location, undefined);
    }
  }
});

test('every answer carries the security headers', async () => {
  for (const path of [
    '/',
    '/api/docs',
    '/api/health',
    '/api/domains',
    '/api/nothing',
    '/api/domains?page=0',
  ]) {
    const { headers } = await user.api.get(path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.match(headers['content-security-policy'] ?? '', /frame-ancestors 'none'/, path);
  }
});

test('a request has one Host', async () => {
  for (const hosts of ['Host: a\r\nHost: b\r\n', 'Host: a\r\nhost: a\r\n', 'host:\r\nHOST: a\r\n']) {
    const answer = await rawAnswer(`GET /api/health HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*malformed_request/, hosts);
  }
});
