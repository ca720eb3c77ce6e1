import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { authPlain, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: ada } = await scene();
const team = await createTeam(program, ada, 'checkout');
await ok(team.api.patch(`/api/accounts/${team.account.id}`, { is_capture: true }));

const keyWith = (scope: 'full' | 'read' | 'send') => keyOf(program, team.api, { scope });
const sendPath = () => `/api/accounts/${team.account.id}/messages/send`;
const mail = () => ({ to: team.address, subject: 'Hello' });

/** Sends through a provider API. */
async function byProvider(key: string): Promise<number> {
  const { status } = await fetch(`${program.baseUrl}/providers/sendgrid/v3/mail/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      from: { email: 'a@example.com' },
      personalizations: [{ to: [{ email: 'b@example.com' }] }],
      subject: 'Hi',
      content: [{ type: 'text/plain', value: 'Hi' }],
    }),
  });
  return status;
}

/** Returns the reply code to an SMTP sign-in. */
async function bySmtp(key: string): Promise<string> {
  const client = await connectFromNewHost(program.smtpPort);
  const reply = await client.command(authPlain('apikey', key));
  client.destroy();
  return reply.trimEnd();
}

test('a key shows its scope, its expiry and who made it', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const made = await ok(team.api.post('/api/tokens', { name: 'ci', scope: 'read', expiresAt: soon }));
  const { key: _, token: __, ...shown } = made;
  assert.equal(made.scope, 'read');
  assert.equal(Date.parse(made.expires_at), Date.parse(soon));
  assert.equal(made.created_by, ada.email);
  assert.deepEqual((await ok(team.api.get('/api/tokens'))).items[0], shown);
  const plain = await ok(team.api.post('/api/tokens'));
  assert.deepEqual([plain.scope, plain.expires_at], ['full', null]);
  for (const body of [
    { scope: 'write' },
    { scope: null },
    { expires_at: '2020-01-01T00:00:00Z' },
    { expires_at: 'tomorrow' },
    { expires_at: 7 },
    { expires_at: soon, expiresAt: '2099-01-01T00:00:00Z' },
  ])
    assert.equal((await team.api.post('/api/tokens', body)).status, 422, JSON.stringify(body));
});

test('a key of scope read waits and streams, and sends in no way', async () => {
  const { api, key } = await keyWith('read');
  await using stream = await EventReader.open(api);
  const { cursor } = await ok(api.get('/api/messages'));
  const waiting = api.get(`/api/messages?wait=20&since=${cursor}`);
  await deliverOne(program, { to: team.address });
  assert.equal((await waiting).headers['x-wait-result'], 'met');
  await stream.count(1);
  assert.equal((await api.post(sendPath(), mail())).status, 403);
  assert.equal(await bySmtp(key), "535 5.7.8 A key with the read scope can't do this");
  assert.equal(await byProvider(key), 403);
});

test('keys of scope send and full send in three ways', async () => {
  for (const scope of ['send', 'full'] as const) {
    const { api, key } = await keyWith(scope);
    assert.equal((await api.post(sendPath(), mail())).status, 204);
    assert.match(await bySmtp(key), /^235 /);
    assert.equal(await byProvider(key), 202);
  }
});

test('a session that a key began has no more than the key', async () => {
  for (const [scope, reads, writes] of [
    ['read', 200, 403],
    ['send', 403, 403],
    ['full', 200, 422],
  ] as const) {
    const { key } = await keyWith(scope);
    const signedIn = await new HttpClient(program).post('/api/auth/login', { api_key: key });
    assert.equal(signedIn.status, 200);
    const cookie = (signedIn.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    const session = new HttpClient(program, { cookie });
    assert.equal((await session.get('/api/domains')).status, reads, scope);
    assert.equal((await session.post('/api/domains', {})).status, writes, scope);
    assert.equal((await session.get(`/api/domains?team_id=${ada.id}`)).status, 404, 'its team alone');
    if (reads === 200) assert.equal((await ok(session.get('/api/teams'))).items[0].id, team.id);
  }
});

test('a key has no more than its creator may, also after their role was lowered', async () => {
  const bob = await createUser(program);
  await join(program, team, bob, 'member');
  const { api, key } = await keyOf(program, sessionOf(program, bob, team.id));
  assert.equal((await api.get('/api/audit-log')).json.code, 'forbidden_role');
  assert.equal((await api.post('/api/domains', {})).status, 422);
  const path = `/api/teams/${team.id}/members/${bob.id}`;
  await ok(team.api.patch(path, { role: 'viewer' }));
  for (const answer of [await api.post('/api/domains', {}), await api.post(sendPath(), mail())])
    assert.deepEqual([answer.status, answer.json.code], [403, 'forbidden_role']);
  assert.equal((await api.get('/api/domains')).status, 200);
  assert.equal(await bySmtp(key), "535 5.7.8 The viewer role can't do this: you need the member role");
  assert.equal(await byProvider(key), 403);
  await ok(team.api.patch(path, { role: 'owner' }));
  assert.equal((await api.get('/api/audit-log')).status, 200);
  await ok(team.api.delete(path));
  assert.equal((await api.get('/api/domains')).status, 401);
  assert.equal(await bySmtp(key), '535 5.7.8 Wrong user name or password');
  const names = (await ok(team.api.get('/api/tokens'))).items.map(
    (one: { created_by: string }) => one.created_by,
  );
  assert.ok(!names.includes(bob.email));
});

test('a key that expires ends its streams, waits and sessions, and tells of no later mail', async () => {
  const expiry = Date.now() + 8000;
  const { api, key } = await keyOf(program, team.api, { expires_at: new Date(expiry).toISOString() });
  const signedIn = await new HttpClient(program).post('/api/auth/login', { api_key: key });
  const session = new HttpClient(program, {
    cookie: (signedIn.headers['set-cookie'] ?? '').split(';')[0] ?? '',
  });
  const { cursor } = await ok(api.get('/api/messages'));
  const waits = [api, session].map((client) => client.get(`/api/messages?wait=60&since=${cursor}`));
  await using stream = await EventReader.open(api);
  await using bySession = await EventReader.open(session);
  await until(() => Date.now() > expiry);
  await deliverOne(program, { to: team.address, subject: 'too late' });
  await Promise.all([stream.ended, bySession.ended]);
  for (const { status } of await Promise.all(waits)) assert.equal(status, 401);
  assert.ok(Date.now() - expiry < 6000, `${Date.now() - expiry} ms`);
  assert.deepEqual([...stream.events, ...bySession.events], []);
  assert.equal((await api.get('/api/domains')).status, 401);
  assert.equal((await session.get('/api/domains')).status, 401);
  assert.equal(await bySmtp(key), '535 5.7.8 Wrong user name or password');
  assert.equal(await byProvider(key), 401);
});
