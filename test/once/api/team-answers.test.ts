import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, bob] = [await createUser(program), await createUser(program)];
const team = await createTeam(program, ada, 'checkout');
await join(program, team, bob, 'viewer');

test('caches keep the answers of teams apart, and no validator fits another answer', async () => {
  const id = await deliverOne(program, { to: team.address, text: 'shared' });
  const session = sessionOf(program, ada);
  const { api } = await keyOf(program, team.api);
  const path = `/api/messages/${id}`;
  const headers = { 'x-team-id': String(team.id) };
  const named = await session.get(path, { headers });
  const byKey = await api.get(path);
  for (const { status, headers: given } of [named, byKey]) {
    assert.equal(status, 200);
    const varied = (given.vary ?? '').toLowerCase().split(', ');
    for (const name of ['accept-encoding', 'cookie', 'x-api-key', 'x-team-id'])
      assert.ok(varied.includes(name), name);
    assert.equal(given['cache-control'], 'private, no-cache');
  }
  assert.notDeepEqual(named.json, byKey.json, 'URLs of a session have its team');
  const known = (etag = '') => ({ 'if-none-match': etag });
  assert.equal(
    (await session.get(path, { headers: { ...headers, ...known(named.headers.etag) } })).status,
    304,
  );
  assert.equal(
    (await session.get(path, { headers: { ...headers, ...known(byKey.headers.etag) } })).status,
    200,
  );
  assert.equal((await api.get(path, { headers: known(named.headers.etag) })).status, 200);
  assert.equal(
    (await session.get(path, { headers: known(named.headers.etag) })).status,
    404,
    'the personal team',
  );
});

test('a validator of a team as its owner saw it fits no answer to another role or team', async () => {
  const session = sessionOf(program, bob);
  const mine = await session.get('/api/teams');
  const hers = await sessionOf(program, ada).get('/api/teams');
  assert.notEqual(mine.headers.etag, hers.headers.etag);
  const headers = { 'if-none-match': mine.headers.etag ?? '' };
  assert.equal((await session.get('/api/teams', { headers })).status, 304);
  await ok(team.api.patch(`/api/teams/${team.id}/members/${bob.id}`, { role: 'member' }));
  const changed = await session.get('/api/teams', { headers });
  assert.equal(changed.status, 200, 'the role changed');
  assert.equal(changed.json.items[1].role, 'member');
  const lists = await Promise.all(
    [ada.id, team.id].map((id) => sessionOf(program, ada, id).get('/api/domains')),
  );
  assert.notEqual(lists[0]?.headers.etag, lists[1]?.headers.etag);
  await ok(team.api.patch(`/api/teams/${team.id}/members/${bob.id}`, { role: 'viewer' }));
});

test('a validator opens nothing to who is no member any more', async () => {
  const eve = await createUser(program);
  await join(program, team, eve, 'member');
  const session = sessionOf(program, eve, team.id);
  const { headers } = await session.get('/api/accounts');
  assert.ok(headers.etag);
  await ok(team.api.delete(`/api/teams/${team.id}/members/${eve.id}`));
  for (const value of [headers.etag, '*'])
    assert.equal((await session.get('/api/accounts', { headers: { 'if-none-match': value } })).status, 404);
});

test('a session in a team counts for the page of this origin only', async () => {
  const session = sessionOf(program, bob, team.id);
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const headers of foreign) {
    for (const path of ['/api/domains', '/api/teams', `/api/teams/${team.id}/members`, '/api/audit-log'])
      assert.equal((await session.get(path, { headers })).status, 401, path);
    const token = { token: 'x'.repeat(43) };
    assert.equal((await session.post('/api/invitations/accept', token, { headers })).status, 401);
    assert.equal((await session.post('/api/teams', { name: 'x' }, { headers })).status, 401);
  }
  assert.equal(
    (await session.get('/api/domains', { headers: { 'sec-fetch-site': 'same-origin' } })).status,
    200,
  );
});
