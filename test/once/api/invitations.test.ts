import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient, type Json } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, type SharedTeam, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, bob] = [await createUser(program), await createUser(program)];
const team = await createTeam(program, ada, 'checkout');

const invite = (
  body: object = { role: 'viewer' },
  { id, api }: Pick<SharedTeam, 'id' | 'api'> = team,
): Promise<Json> => ok(api.post(`/api/teams/${id}/invitations`, body));
const accept = (user: Pick<User, 'cookie'>, token: string) =>
  sessionOf(program, user).post('/api/invitations/accept', { token });
const members = async ({ id, api }: Pick<SharedTeam, 'id' | 'api'> = team): Promise<string[]> =>
  (await ok(api.get(`/api/teams/${id}/members`))).items.map(({ email }: { email: string }) => email);

test('an invitation is shown once with its address, listed without it, and works once', async () => {
  const made = await invite({ role: 'member' });
  const { url, token, ...listed } = made;
  assert.match(token, /^[A-Za-z0-9_-]{43}$/);
  assert.ok(url.endsWith(`/invitations/${token}`));
  const days = (Date.parse(made.expires_at) - Date.parse(made.created_at)) / 86_400_000;
  assert.equal(days, 7);
  const list = await team.api.get(`/api/teams/${team.id}/invitations`);
  assert.deepEqual(list.json.items, [listed]);
  assert.ok(!list.body.toString().includes(token));
  const visitor = new HttpClient(program);
  const shown = await ok(visitor.post('/api/invitations/show', { token }));
  assert.deepEqual(shown, {
    team_name: 'checkout',
    role: 'member',
    email: null,
    expires_at: made.expires_at,
  });
  const joined = await ok(accept(bob, url));
  assert.deepEqual([joined.id, joined.name, joined.role], [team.id, 'checkout', 'member']);
  assert.equal((await accept(bob, token)).status, 422);
  assert.equal((await visitor.post('/api/invitations/show', { token })).status, 404);
  assert.deepEqual((await ok(team.api.get(`/api/teams/${team.id}/invitations`))).items, []);
  assert.ok(!JSON.stringify(program.log).includes(token), 'the log has no token');
});

test('an invitation for an e-mail is of use to that one only, in any case', async () => {
  const eve = await createUser(program);
  const { token, email } = await invite({ role: 'viewer', email: eve.email.toUpperCase() });
  assert.equal(email, eve.email);
  const refused = await accept(bob, token);
  assert.equal(refused.status, 422);
  assert.match(refused.json.violations[0].message, /another email/);
  assert.equal((await accept(eve, token)).status, 200);
  assert.ok((await members()).includes(eve.email));
});

test('of ten people who use an invitation at once, one joins', async () => {
  const own = await createTeam(program, ada, 'tenatonce');
  const people = await Promise.all(Array.from({ length: 5 }, () => createUser(program)));
  const { token } = await invite({ role: 'viewer' }, own);
  const answers = await Promise.all([...people, ...people].map((user) => accept(user, token)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    200,
    ...Array.from({ length: 9 }, () => 422),
  ]);
  assert.equal((await members(own)).length, 2);
});

test('an invitation that is revoked, or whose team is gone, is of no use', async () => {
  const eve = await createUser(program);
  const own = await createTeam(program, ada, 'short');
  const [first, second] = [await invite({ role: 'viewer' }, own), await invite({ role: 'viewer' }, own)];
  const path = `/api/teams/${own.id}/invitations/${first.id}`;
  assert.equal((await team.api.delete(`/api/teams/${team.id}/invitations/${first.id}`)).status, 404);
  assert.deepEqual(await ok(own.api.delete(path)), { id: first.id, deleted: true });
  assert.equal((await own.api.delete(path)).status, 404);
  assert.equal((await accept(eve, first.token)).status, 422);
  await ok(own.api.delete(`/api/teams/${own.id}`));
  assert.equal((await accept(eve, second.token)).status, 422);
  const visitor = new HttpClient(program);
  assert.equal((await visitor.post('/api/invitations/show', { token: second.token })).status, 404);
  assert.equal((await ok(sessionOf(program, eve).get('/api/teams'))).pagination.total, 1);
});

test('only a person in a session accepts: no key, and no session of a key', async () => {
  const eve = await createUser(program);
  const { token } = await invite();
  const signedIn = await new HttpClient(program).post('/api/auth/login', { api_key: eve.key });
  const cookie = (signedIn.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  for (const client of [eve.api, new HttpClient(program, { cookie })]) {
    const { status, json } = await client.post('/api/invitations/accept', { token });
    assert.deepEqual([status, json.code], [403, 'insufficient_scope']);
  }
  const visitor = await new HttpClient(program).post('/api/invitations/accept', { token });
  assert.equal(visitor.status, 401);
  assert.equal((await accept(eve, token)).status, 200, 'it was not used up');
});

test('what is no invitation is refused', async () => {
  for (const token of ['x', 'x'.repeat(43), 'https://example.com/', "' OR 1=1 --"]) {
    assert.equal((await accept(bob, token)).status, 422, token);
    assert.equal((await new HttpClient(program).post('/api/invitations/show', { token })).status, 404, token);
  }
  for (const token of ['', 'x'.repeat(2049), 7, null, undefined])
    assert.equal((await accept(bob, token as string)).status, 422, String(token));
  for (const body of [
    {},
    { role: 'king' },
    { role: null },
    { role: 'viewer', email: 'nobody' },
    { email: 'a@b.test' },
  ])
    assert.equal((await team.api.post(`/api/teams/${team.id}/invitations`, body)).status, 422);
});

test('an invitation neither lowers a role nor leads into a personal team that is not theirs', async () => {
  const own = await createTeam(program, ada, 'roles');
  await join(program, own, bob, 'owner');
  const { token } = await invite({ role: 'viewer' }, own);
  assert.equal((await ok(accept(bob, token))).role, 'owner');
  const personal = { id: ada.id, api: sessionOf(program, ada) };
  const eve = await createUser(program);
  const guest = await invite({ role: 'viewer' }, personal);
  assert.equal((await ok(accept(eve, guest.token))).is_personal, true);
  const mine = await ok(sessionOf(program, eve, ada.id).get('/api/domains'));
  assert.equal(mine.items[0].id, ada.domain.id);
});

test('a user makes sixty invitations a minute over all teams, others go on', async () => {
  const eve = await createUser(program);
  const own = await createTeam(program, eve, 'many');
  const second = await createTeam(program, eve, 'more');
  const { api } = await keyOf(program, second.api);
  const makers = [own, second, { ...second, api }];
  const answers = await Promise.all(
    Array.from({ length: 65 }, (_, index) => {
      const maker = makers[index % makers.length] ?? own;
      return maker.api.post(`/api/teams/${maker.id}/invitations`, { role: 'viewer' });
    }),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 60);
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 5);
  for (const { headers } of refused) assert.ok(Number(headers['retry-after']) >= 1);
  assert.equal((await team.api.post(`/api/teams/${team.id}/invitations`, { role: 'viewer' })).status, 200);
});

test('an invitation ends with the key that it was made with', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+00:00');
  const { api } = await keyOf(program, team.api, { expires_at });
  const made = await ok(api.post(`/api/teams/${team.id}/invitations`, { role: 'viewer' }));
  assert.equal(made.expires_at, expires_at);
});
