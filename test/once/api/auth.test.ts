import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram } from '#test/support/program/program.ts';
import { forAllTests, programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

let visitor: HttpClient;
const program = await forAllTests(
  startProgram({
    SANDPOST_TRUSTED_PROXIES: '127.0.0.1',
    SANDPOST_BASE_URL: 'https://mail.example.com',
  }),
);
visitor = new HttpClient(program);

const newEmail = () => `${randomBytes(6).toString('hex')}@Example.com`;
/** Returns a client address for one test, so tests do not throttle each other. */
const from = () => ({ 'x-forwarded-for': `198.51.100.${randomBytes(1)[0]}, 203.0.113.${randomBytes(1)[0]}` });
const cookieOf = (answer: { headers: Record<string, string | undefined> }) =>
  (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';

test('registering signs in, with a cookie that only our own pages send', async () => {
  const email = newEmail();
  const answer = await visitor.post('/api/auth/register', { email, password: 'correct horse' });
  assert.equal(answer.status, 200);
  assert.equal(answer.json.email, email.toLowerCase());
  const cookie = answer.headers['set-cookie'] ?? '';
  assert.match(cookie, /^__Host-sandpost_session=[A-Za-z0-9_-]{43}; /);
  for (const attribute of ['path=/', 'httponly', 'samesite=strict', 'secure']) {
    assert.ok(cookie.toLowerCase().includes(attribute), attribute);
  }
  const session = await visitor.get('/api/auth/session', { headers: { cookie: cookieOf(answer) } });
  assert.deepEqual(session.json, answer.json);
  assert.equal(
    (await visitor.post('/api/auth/register', { email: email.toUpperCase(), password: 'correct horse' }))
      .status,
    422,
  );
});

test('registration refuses: no e-mail address, a short or long password, no text', async () => {
  const good = { email: newEmail(), password: 'correct horse' };
  for (const body of [
    { ...good, email: 'nobody' },
    { ...good, email: 'a@b@c.test' },
    { ...good, email: 'namespace/default' },
    { ...good, password: 'x'.repeat(9) },
    { ...good, password: 'x'.repeat(257) },
    { ...good, password: 1234567890 },
    { email: good.email },
    { ...good, email: { $gt: '' } },
  ]) {
    assert.equal((await visitor.post('/api/auth/register', body)).status, 422, JSON.stringify(body));
  }
});

test('signing in by password or key; each sign-in has a new session', async () => {
  const user = await createUser(program);
  const headers = from();
  const first = await visitor.post(
    '/api/auth/login',
    { email: user.email, password: user.password },
    { headers },
  );
  assert.equal(first.json.id, user.id);
  const second = await visitor.post(
    '/api/auth/login',
    { api_key: user.key },
    { headers: { ...headers, cookie: cookieOf(first) } },
  );
  assert.equal(second.json.id, user.id);
  assert.notEqual(cookieOf(first), cookieOf(second));
  assert.equal(
    (await visitor.get('/api/auth/session', { headers: { cookie: cookieOf(first) } })).status,
    401,
    'session fixation',
  );
  assert.equal(
    (await visitor.get('/api/auth/session', { headers: { cookie: cookieOf(second) } })).status,
    200,
  );
});

test('a failed sign-in has the same answer for each cause, and ten tries a minute are allowed', async () => {
  const user = await createUser(program);
  const headers = from();
  const login = (body: unknown, from = headers) => visitor.post('/api/auth/login', body, { headers: from });
  const details = new Set<string>();
  const wrong = [
    { email: user.email, password: 'wrong horse' },
    { email: newEmail(), password: 'wrong horse' },
    { api_key: `sp_${'A'.repeat(43)}` },
    { api_key: 'nonsense' },
  ];
  for (const body of [...wrong, ...new Array(9).fill(wrong[0])]) {
    const answer = await login(body);
    assert.equal(answer.status, 401);
    assert.equal(answer.headers['set-cookie'], undefined);
    details.add(answer.json.detail);
  }
  assert.equal(details.size, 1);
  const right = { email: user.email, password: user.password };
  const throttled = await login(right);
  assert.equal(throttled.status, 429);
  assert.ok(Number(throttled.headers['retry-after']) >= 1);
  assert.equal((await login(right, from())).status, 200, 'from another address');
  const other = await createUser(program);
  const others = { email: other.email, password: other.password };
  assert.equal((await login(others)).status, 200, 'another e-mail from the same address');
});

test('a forwarded address is trusted as far as trusted proxies wrote it', async () => {
  const user = await createUser(program);
  const last = '203.0.113.250';
  const wrong = { email: user.email, password: 'wrong horse' };
  for (let index = 0; index < 10; index += 1) {
    const headers = { 'x-forwarded-for': `192.0.2.${index}, ${last}` };
    assert.equal((await visitor.post('/api/auth/login', wrong, { headers })).status, 401);
  }
  const headers = { 'x-forwarded-for': `192.0.2.99, ${last}` };
  assert.equal((await visitor.post('/api/auth/login', wrong, { headers })).status, 429);
});

test('signing out ends the session; without one it is no error', async () => {
  const user = await createUser(program);
  const headers = { cookie: user.cookie };
  const foreign = { ...headers, origin: 'https://evil.example' };
  const ignored = await visitor.post('/api/auth/logout', undefined, { headers: foreign });
  assert.equal(ignored.headers['set-cookie'], undefined);
  const out = await visitor.post('/api/auth/logout', undefined, { headers });
  assert.equal(out.status, 204);
  assert.match(out.headers['set-cookie'] ?? '', /^__Host-sandpost_session=;/);
  assert.equal((await visitor.get('/api/auth/session', { headers })).status, 401);
  assert.equal((await visitor.post('/api/auth/logout')).status, 204);
});

test('a new password ends the other sessions, not this one', async () => {
  const user = await createUser(program);
  const other = cookieOf(
    await visitor.post(
      '/api/auth/login',
      { email: user.email, password: user.password },
      { headers: from() },
    ),
  );
  const change = (body: unknown) =>
    visitor.post('/api/auth/password', body, { headers: { cookie: user.cookie, ...from() } });
  assert.equal(
    (await change({ current_password: 'wrong horse', new_password: 'battery staple' })).status,
    422,
  );
  assert.equal((await change({ current_password: user.password, new_password: 'short' })).status, 422);
  assert.equal((await change({ currentPassword: user.password, newPassword: 'battery staple' })).status, 200);
  assert.equal((await visitor.get('/api/auth/session', { headers: { cookie: other } })).status, 401);
  assert.equal((await visitor.get('/api/auth/session', { headers: { cookie: user.cookie } })).status, 200);
  await ok(
    visitor.post('/api/auth/login', { email: user.email, password: 'battery staple' }, { headers: from() }),
  );
});

const origins: [Record<string, string>, boolean][] = [
  [{}, true],
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'none' }, true],
  [{ 'sec-fetch-site': 'cross-site' }, false],
  [{ 'sec-fetch-site': 'same-site', origin: 'https://mail.example.com' }, false],
  [{ origin: 'https://mail.example.com' }, true],
  [{ origin: 'https://evil.example' }, false],
  [{ origin: 'https://mail.example.com.evil.example' }, false],
  [{ origin: 'http://mail.example.com' }, false],
  [{ origin: 'null' }, false],
];

test('the cookie counts for our own pages and for clients that are no browsers', async () => {
  const user = await createUser(program);
  for (const [headers, counts] of origins) {
    for (const path of ['/api/auth/session', '/api/events?once=1', '/api/%65vents?once=1']) {
      const { status } = await visitor.get(path, { headers: { cookie: user.cookie, ...headers } });
      const known = path.includes('%65') ? 404 : counts ? 200 : 401;
      assert.equal(status, known, `${path} ${JSON.stringify(headers)}`);
    }
    const keyed = await user.api.get('/api/auth/session', { headers });
    assert.equal(keyed.status, 200, 'a key is never sent by a foreign page');
  }
});

test('a page of another address gets the one that the session is valid for, and the name of its setting', async () => {
  const user = await createUser(program);
  const headers = { ...from(), origin: 'http://10.0.0.5:8080' };
  const signedIn = { ...headers, cookie: user.cookie };
  const { status, json, headers: answered } = await visitor.post('/api/tokens', {}, { headers: signedIn });
  assert.deepEqual([status, json.code], [401, 'unauthenticated']);
  for (const word of [headers.origin, 'https://mail.example.com', 'SANDPOST_BASE_URL'])
    assert.ok(json.detail.includes(word), json.detail);
  assert.equal(answered['set-cookie'], undefined);
  const nobody = await visitor.post('/api/tokens', {}, { headers });
  assert.ok(
    !nobody.json.detail.includes('SANDPOST_BASE_URL'),
    'without a session there is nothing to explain',
  );
  const { email, password } = user;
  const again = await visitor.post('/api/auth/login', { email, password }, { headers });
  assert.equal(again.status, 200, 'signing in itself needs no origin');
});

test('a form makes no key, whatever its content type or body', async () => {
  const user = await createUser(program);
  const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'];
  for (const type of types) {
    for (const body of ['name=x', '{"name":"x"}', '']) {
      const headers = { cookie: user.cookie, 'content-type': type };
      assert.equal((await visitor.post('/api/tokens', undefined, { headers, body })).status, 400);
    }
  }
  const foreign = { cookie: user.cookie, origin: 'https://evil.example' };
  assert.equal((await visitor.post('/api/tokens', {}, { headers: foreign })).status, 401);
  assert.equal((await ok(user.api.get('/api/tokens'))).pagination.total, 1);
});

test('a request with a wrong key and a good cookie is nobody’s', async () => {
  const user = await createUser(program);
  const headers = { cookie: user.cookie, 'x-api-key': 'wrong' };
  assert.equal((await visitor.get('/api/domains', { headers })).status, 401);
});

test('an https base URL makes browsers use nothing else', async () => {
  const { headers } = await visitor.get('/api/auth/session');
  assert.equal(headers['strict-transport-security'], 'max-age=31536000');
  const plain = await programOfAll();
  const answer = await new HttpClient(plain).get('/api/auth/session');
  assert.equal(answer.headers['strict-transport-security'], undefined);
});

test('a forwarded address that is not trusted is logged once, and counted, and closed registration is 404', async () => {
  await using untrusting = await startProgram({ SANDPOST_REGISTRATION: 'closed' });
  const client = new HttpClient(untrusting, { 'x-forwarded-for': '203.0.113.9' });
  for (let index = 0; index < 3; index += 1) await client.get('/api/auth/session');
  const lines = untrusting.log.filter(({ event }) => event === 'http.untrusted-proxy');
  assert.equal(lines.length, 1);
  assert.equal(lines[0]?.peer, '127.0.0.1');
  const metrics = await fetch(`http://127.0.0.1:${untrusting.opsPorts.api}/metrics`);
  assert.match(await metrics.text(), /^sandpost_http_untrusted_forwards_total 3$/m);
  const body = { email: newEmail(), password: 'correct horse' };
  assert.equal((await new HttpClient(untrusting).post('/api/auth/register', body)).status, 404);
});

test('an e-mail or address with a KELVIN SIGN is refused, and is nobody else', async () => {
  const user = await createUser(program);
  const name = `${randomBytes(6).toString('hex')}k`;
  const [plain, strange] = [`${name}@example.com`, `${name.slice(0, -1)}\u212a@example.com`];
  const visitor = new HttpClient(program);
  const password = 'correct horse';
  assert.equal((await visitor.post('/api/auth/register', { email: strange, password })).status, 422);
  await ok(visitor.post('/api/auth/register', { email: plain, password }));
  assert.equal((await visitor.post('/api/auth/login', { email: strange, password })).status, 401);
  const owner = new HttpClient(program, { cookie: user.cookie });
  const invited = await owner.post(`/api/teams/${user.id}/invitations`, { role: 'viewer', email: strange });
  assert.equal(invited.status, 422);
  const address = `\u212aate@${user.domain.domain}`;
  assert.equal((await user.api.post('/api/accounts', { address })).status, 422);
  assert.equal((await user.api.post('/api/domains', { domain: '\u212aate.test' })).status, 422);
});
