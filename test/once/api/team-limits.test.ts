import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, type SharedTeam, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const limit = 700;
const program = await forAllTests(
  startProgram({ SANDPOST_RATE_LIMIT: String(limit), SANDPOST_LOG_LEVEL: 'debug' }),
);
const [ada, bob] = [await createUser(program), await createUser(program)];
const teams: SharedTeam[] = [await createTeam(program, ada, 'one'), await createTeam(program, ada, 'two')];
for (const team of teams) await join(program, team, bob, 'member');

/** Returns a user's clients in three teams, by session and by key. */
async function clientsOf(user: User) {
  const sessions = [sessionOf(program, user), ...teams.map(({ id }) => sessionOf(program, user, id))];
  const keys = await Promise.all(sessions.map((session) => keyOf(program, session)));
  return [...sessions, ...keys.map(({ api }) => api)];
}

test('a user has a hundred streams over all teams, keys and sessions; another member has their own', async () => {
  const clients = await clientsOf(ada);
  const open = (index: number) => (clients[index % clients.length] ?? ada.api).open('GET', '/api/events');
  const opened = await Promise.all(Array.from({ length: 108 }, (_, index) => open(index)));
  const statuses = opened.map(({ statusCode }) => statusCode);
  const others = await sessionOf(program, bob, teams[0]?.id).open('GET', '/api/events');
  for (const response of [...opened, others]) response.destroy();
  assert.equal(statuses.filter((status) => status === 200).length, 100);
  assert.equal(statuses.filter((status) => status === 429).length, 8);
  assert.equal(others.statusCode, 200);
});

test('a user has a hundred waits over all teams; another member has their own', async () => {
  const clients = await clientsOf(ada);
  const cursor = 0;
  const waits = Array.from({ length: 108 }, (_, index) =>
    (clients[index % clients.length] ?? ada.api).get(`/api/messages?wait=2&since=${cursor}`),
  );
  const other = sessionOf(program, bob, teams[0]?.id).get(`/api/messages?wait=2&since=${cursor}`);
  const answers = await Promise.all(waits);
  assert.equal(answers.filter(({ status }) => status === 200).length, 100);
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 8);
  for (const { json } of refused) assert.equal(json.code, 'too_many_waits');
  assert.equal((await other).status, 200);
});

test('a wait ends when its client goes away', async () => {
  const { cursor } = await ok(ada.api.get('/api/messages'));
  const seen = program.log.length;
  const socket = connect(program.httpPort, '127.0.0.1');
  const request = `GET /api/messages?wait=120&since=${cursor} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${ada.key}\r\n`;
  // The request ID marks this request's log line.
  await new Promise((resolve) => socket.write(`${request}X-Request-Id: gone-away\r\n\r\n`, resolve));
  await ok(ada.api.get('/api/messages'));
  socket.destroy();
  const deadline = Date.now() + 20_000;
  while (!program.log.slice(seen).some((line) => line.request_id === 'gone-away')) {
    assert.ok(Date.now() < deadline, 'it is still waiting');
    await ok(ada.api.get('/api/health'));
  }
});

test('the rate limit counts a user over all teams, keys and sessions, and each member alone', async () => {
  const eve = await createUser(program);
  for (const team of teams) await join(program, team, eve, 'member');
  const clients = await clientsOf(eve);
  const remaining = async (client = eve.api) =>
    Number((await client.get('/api/domains')).headers['ratelimit-remaining']);
  const first = await remaining();
  for (const [index, client] of clients.entries())
    assert.equal(await remaining(client), first - 1 - index, `client ${index}`);
  const others = await remaining(sessionOf(program, bob, teams[0]?.id));
  await remaining();
  assert.equal(await remaining(sessionOf(program, bob, teams[0]?.id)), others - 1);
});

test('a user is in a hundred teams at most', async () => {
  const eve = await createUser(program);
  const session = sessionOf(program, eve);
  const made = await Promise.all(
    Array.from({ length: 102 }, (_, index) => session.post('/api/teams', { name: `team ${index}` })),
  );
  assert.equal(made.filter(({ status }) => status === 200).length, 99, 'beside the personal one');
  const refused = made.find(({ status }) => status !== 200);
  assert.equal(refused?.status, 422);
  assert.match(refused?.json.detail, /100 teams/);
  const [team] = teams;
  assert.ok(team);
  const { token } = await ok(team.api.post(`/api/teams/${team.id}/invitations`, { role: 'viewer' }));
  const { status, json } = await session.post('/api/invitations/accept', { token });
  assert.equal(status, 422);
  assert.match(json.detail, /100 teams/);
});

test('sign-ins with a key leave those of its creator', async () => {
  const eve = await createUser(program);
  const { key } = await keyOf(program, eve.api, { scope: 'read' });
  const visitor = new HttpClient(program);
  // One after the other: until it is answered, a sign-in counts as a failure of its address.
  const statuses: number[] = [];
  while (statuses.length < 61)
    statuses.push((await visitor.post('/api/auth/login', { api_key: key })).status);
  assert.deepEqual([statuses.indexOf(429), statuses.filter((status) => status === 429).length], [60, 1]);
  const { email, password } = eve;
  assert.equal((await visitor.post('/api/auth/login', { email, password })).status, 200);
});
