import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader } from '#test/support/clients/http-events.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, idsOf, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, bob] = [await createUser(program), await createUser(program)];
const team = await createTeam(program, ada, 'checkout');
await join(program, team, bob, 'viewer');

test('a user has a personal team, and shared ones with a role in each', async () => {
  const { items, pagination } = await ok(sessionOf(program, ada).get('/api/teams'));
  const [personal, shared] = items;
  assert.deepEqual(pagination, { page: 1, limit: 50, per_page: 50, total: 2 });
  const { created_at, ...rest } = personal;
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  assert.deepEqual(rest, {
    id: ada.id,
    name: ada.email,
    role: 'owner',
    allows_shares: true,
    clients: null,
    is_personal: true,
  });
  assert.deepEqual(
    [shared.id, shared.name, shared.role, shared.is_personal],
    [team.id, 'checkout', 'owner', false],
  );
  const { items: bobs } = await ok(sessionOf(program, bob).get('/api/teams'));
  assert.deepEqual(bobs[1], { ...shared, role: 'viewer' });
  const second = await ok(sessionOf(program, ada).get('/api/teams?page=2&limit=1'));
  assert.deepEqual(second.items, [shared]);
  assert.deepEqual((await ok(ada.api.get('/api/teams'))).items, [personal], 'a key has one team');
  assert.equal((await ok(ada.api.get('/api/teams?page=2'))).items.length, 0);
});

test('a session names its team by header or query; without either it acts in the personal one', async () => {
  const session = sessionOf(program, ada);
  const domains = async (query = '', headers: Record<string, string> = {}) =>
    idsOf(await ok(session.get(`/api/domains${query}`, { headers })));
  const id = String(team.id);
  assert.deepEqual(await domains(), [ada.domain.id]);
  assert.deepEqual(await domains(`?team_id=${ada.id}`), [ada.domain.id]);
  for (const [query, headers] of [
    ['', { 'x-team-id': id }],
    [`?team_id=${id}`, {}],
    [`?team_id=${id}&team_id=${id}`, { 'x-team-id': id }],
  ] as const)
    assert.deepEqual(await domains(query, headers), [team.domain.id], query);
  assert.equal((await session.call('HEAD', `/api/domains/${team.domain.id}?team_id=${id}`)).status, 200);
  assert.equal((await session.call('HEAD', `/api/domains/${team.domain.id}`)).status, 404);
});

test('a request that names two teams is 400, and it is counted', async () => {
  const session = sessionOf(program, ada, team.id);
  const before = Number((await session.get('/api/domains')).headers['ratelimit-remaining']);
  for (const [path, expected] of [
    ['/api/domains', [400, 'malformed_request']],
    ['/api/nothing', [404, 'not_found']],
  ] as const) {
    const { status, json, headers } = await session.get(`${path}?team_id=${ada.id}`);
    assert.deepEqual([status, json.code], expected);
    assert.ok(Number(headers['ratelimit-remaining']) < before, 'each is counted');
  }
  const twice = await sessionOf(program, ada).get(`/api/domains?team_id=${ada.id}&team_id=${team.id}`);
  assert.equal(twice.status, 400);
});

for (const id of ['4711', '0', '-1', '1.5', 'abc', ' ', '9007199254740993', '1,2', '1e1']) {
  test(`the team "${id}" is 404, like a foreign one`, async () => {
    const given = encodeURIComponent(id);
    const session = sessionOf(program, ada);
    const foreign = await session.get(`/api/domains?team_id=${bob.id}`);
    const answers = [
      foreign,
      await session.get(`/api/domains?team_id=${given}`),
      await session.post(`/api/domains?team_id=${given}`, { domain: 'x.test' }),
      await ada.api.get(`/api/domains?team_id=${given}`),
      await session.get(`/api/teams/${given}/members`),
      await session.get(`/api/teams/${bob.id}/members`),
    ];
    if (id.trim() !== '') answers.push(await session.get('/api/domains', { headers: { 'x-team-id': id } }));
    assert.equal(foreign.json.detail, "You aren't in a team with this id");
    for (const { status, json } of answers) {
      assert.equal(status, 404);
      assert.deepEqual({ ...json, request_id: '' }, { ...foreign.json, request_id: '' });
    }
  });
}

test('a key has its own team, and any other is 404, one of its creator too', async () => {
  const { api } = await keyOf(program, team.api);
  const ids = idsOf(await ok(api.get('/api/domains')));
  assert.deepEqual(ids, [team.domain.id]);
  assert.equal((await api.get(`/api/domains?team_id=${team.id}`)).status, 200);
  for (const id of [ada.id, bob.id, 4711]) {
    assert.equal((await api.get(`/api/domains?team_id=${id}`)).status, 404);
    assert.equal((await api.get('/api/domains', { headers: { 'x-team-id': String(id) } })).status, 404);
    assert.equal((await api.get(`/api/teams/${id}/members`)).status, 404);
  }
  assert.equal((await ok(api.get('/api/teams'))).items[0].id, team.id);
});

test('a team is named, renamed and deleted by its owner; not a personal one', async () => {
  const session = sessionOf(program, ada);
  const made = await ok(session.post('/api/teams', { name: 'Grüße an alle' }));
  assert.deepEqual([made.name, made.role, made.is_personal], ['Grüße an alle', 'owner', false]);
  const renamed = await ok(session.patch(`/api/teams/${made.id}`, { name: 'Alle' }));
  assert.deepEqual(renamed, { ...made, name: 'Alle' });
  for (const name of ['', '  ', 'x'.repeat(101), 'a\nb', 'namespace/', 'namespace/qa', 7, null]) {
    assert.equal((await session.post('/api/teams', { name })).status, 422, String(name));
    assert.equal((await session.patch(`/api/teams/${made.id}`, { name })).status, 422, String(name));
  }
  assert.equal((await session.post('/api/teams', {})).status, 422);
  assert.equal((await session.patch(`/api/teams/${made.id}`, {})).status, 422);
  assert.equal((await session.post('/api/teams')).status, 400);
  assert.equal((await session.delete(`/api/teams/${ada.id}`)).status, 422, 'the personal team stays');
  assert.deepEqual(await ok(session.delete(`/api/teams/${made.id}`)), { id: made.id, deleted: true });
  assert.equal((await session.delete(`/api/teams/${made.id}`)).status, 404);
  assert.equal((await session.get('/api/domains', { headers: { 'x-team-id': `${made.id}` } })).status, 404);
});

test('members are listed, change their roles and leave; the last owner stays', async () => {
  const eve = await createUser(program);
  const own = await createTeam(program, ada, 'members');
  await join(program, own, eve, 'member');
  const path = `/api/teams/${own.id}/members`;
  const { items } = await ok(own.api.get(path));
  const { joined_at, ...rest } = items[1];
  assert.ok(joined_at);
  assert.deepEqual(rest, { user_id: eve.id, email: eve.email, role: 'member', managed_by: null });
  assert.equal((await own.api.patch(`${path}/${ada.id}`, { role: 'member' })).status, 422, 'the last owner');
  const kept = await own.api.delete(`${path}/${ada.id}`);
  const message = "is the last owner, who can't leave: make someone else an owner first";
  assert.deepEqual([kept.status, kept.json.violations], [422, [{ field: 'user_id', message }]]);
  assert.equal((await ok(own.api.patch(`${path}/${eve.id}`, { role: 'owner' }))).role, 'owner');
  const eves = sessionOf(program, eve, own.id);
  assert.equal((await ok(eves.patch(`${path}/${ada.id}`, { role: 'viewer' }))).role, 'viewer');
  const refused = await own.api.patch(`${path}/${ada.id}`, { role: 'owner' });
  assert.deepEqual([refused.status, refused.json.code], [403, 'forbidden_role']);
  for (const body of [{ role: 'king' }, { role: null }, {}])
    assert.equal((await eves.patch(`${path}/${ada.id}`, body)).status, 422);
  for (const id of [4711, bob.id]) {
    assert.equal((await eves.patch(`${path}/${id}`, { role: 'viewer' })).status, 404);
    assert.equal((await eves.delete(`${path}/${id}`)).status, 404);
  }
  assert.deepEqual(await ok(eves.delete(`${path}/${ada.id}`)), { id: ada.id, deleted: true });
  assert.equal((await own.api.get(path)).status, 404, 'no member any more');
  const personal = `/api/teams/${ada.id}/members/${ada.id}`;
  assert.equal((await sessionOf(program, ada).delete(personal)).status, 422);
  assert.equal((await sessionOf(program, ada).patch(personal, { role: 'viewer' })).status, 422);
});

test('the URLs in a message lead a session back to its team, and work', async () => {
  const id = await deliverOne(program, {
    to: team.address,
    attachments: [{ filename: 'a.txt', content: 'attached' }],
  });
  const urls = (message: {
    sourceUrl: string;
    downloadUrl: string;
    attachments: { downloadUrl: string }[];
  }) => [
    message.sourceUrl,
    message.downloadUrl,
    ...message.attachments.map(({ downloadUrl }) => downloadUrl),
  ];
  const session = sessionOf(program, bob);
  const shown = await ok(session.get(`/api/messages/${id}?team_id=${team.id}`));
  for (const url of urls(shown)) {
    assert.equal(new URL(url).searchParams.get('team_id'), String(team.id));
    const path = url.slice(new URL(url).origin.length);
    assert.equal((await session.get(path)).status, 200, path);
    assert.equal((await session.call('HEAD', path)).status, 200, path);
  }
  const { api } = await keyOf(program, team.api);
  for (const url of urls(await ok(api.get(`/api/messages/${id}`)))) assert.ok(!url.includes('team_id'), url);
  const mine = await deliverOne(program, { to: ada.address });
  for (const url of urls(await ok(sessionOf(program, ada).get(`/api/messages/${mine}`))))
    assert.ok(!url.includes('team_id'), url);
});

test('a stream and a wait of a session follow the team that they name', async () => {
  const session = sessionOf(program, bob);
  await using stream = await EventReader.open(session, `?team_id=${team.id}`);
  const { cursor } = await ok(session.get(`/api/messages?team_id=${team.id}`));
  const waiting = session.get(`/api/messages?team_id=${team.id}&wait=20&since=${cursor}`);
  await deliverOne(program, { to: bob.address, subject: 'personal' });
  const id = await deliverOne(program, { to: team.address, subject: 'shared' });
  assert.equal((await stream.count(1))[0]?.data.id, id);
  const { json, headers } = await waiting;
  assert.equal(headers['x-wait-result'], 'met');
  const ids = json.items.map((item: { id: number }) => item.id);
  assert.deepEqual(ids, [id]);
});
