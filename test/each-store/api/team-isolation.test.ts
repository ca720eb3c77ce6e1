import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Headers, HttpClient, Json } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { join } from '#test/support/program/team.ts';
import {
  bodyFor,
  type Caller,
  callersOf,
  createWorld,
  type Place,
  permissionOf,
  placesOf,
  type World,
} from '#test/support/program/team-world.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

/** Three teams: the callers' own, another, and one that the callers have left. */

const program = await forAllTests(
  startProgram({ SANDPOST_RATE_LIMIT: '1000000', SANDPOST_OUTBOUND: 'public' }),
);
const [ada, owner, member, viewer] = await Promise.all([0, 1, 2, 3].map(() => createUser(program)));
assert.ok(ada && owner && member && viewer);
const people: Record<'ada' | 'owner' | 'member' | 'viewer', User> = { ada, owner, member, viewer };
const own: World = await createWorld(program, ada, 'ownteam');
const other: World = await createWorld(program, ada, 'otherteam');
const former: World = await createWorld(program, ada, 'formerteam');
for (const team of [own, former])
  for (const role of ['owner', 'member', 'viewer'] as const) await join(program, team, people[role], role);
const callers: Caller[] = await callersOf(program, people, own);
const leavers = await callersOf(program, people, former);
for (const { id } of [owner, member, viewer])
  await ok(former.api.delete(`/api/teams/${former.id}/members/${id}`));
for (const { client, isKey, name } of leavers)
  if (isKey) assert.equal((await client.get('/api/domains')).status, 401, `${name} ended`);
const places: Place[] = await placesOf(program);

function call(
  client: HttpClient,
  place: Place,
  ids: Record<string, number>,
  headers: Headers,
  json?: object,
) {
  const path = place.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
  const url = path === '/api/events' ? `${path}?once=1` : path;
  return client.call(place.method, url, { headers, ...(json === undefined ? {} : { json }) });
}

const inTeam = (id: number): Headers => ({ 'x-team-id': String(id) });
const missing = Object.fromEntries(
  [
    'domain_id',
    'account_id',
    'mailbox_id',
    'message_id',
    'attachment_id',
    'token_id',
    'search_id',
    'rule_id',
    'failure_id',
    'share_id',
    'user_id',
    'invitation_id',
  ].map((name) => [name, 987_654]),
);

/** Reads what a team's owner sees of it. */
async function snapshot({ api, id, ids }: World): Promise<Json> {
  const lists = [
    'domains',
    'accounts',
    'messages',
    'tokens',
    'searches',
    'rules',
    'failures',
    'shares',
    'audit-log',
    `teams/${id}/members`,
    `teams/${id}/invitations`,
  ];
  const paths = [...lists.map((name) => `${name}?limit=200`), `messages/${ids.message_id}`];
  const seen: Json = await Promise.all(paths.map((path) => ok(api.get(`/api/${path}`))));
  return JSON.parse(JSON.stringify(seen, (name, value) => (name === 'last_used_at' ? undefined : value)));
}

const comparable = ({ status, json }: Answer) => ({ status, json: { ...json, request_id: '' } });

test('in the own team, each role and scope may do its part, and the rest is 403 and changes nothing', async () => {
  assert.ok(places.length > 35, `${places.length} operations`);
  const before = await snapshot(own);
  for (const { name, client, may, code } of callers) {
    for (const place of places) {
      const what = `${name}: ${place.operationId}`;
      const allowed = may.includes(permissionOf(place));
      // Names missing objects if the call is allowed, so nothing changes.
      const ids = allowed ? { ...missing, team_id: own.id } : own.ids;
      if (allowed && ['deleteTeam', 'createToken', 'createFailure'].includes(place.operationId)) continue;
      const body = bodyFor(place, own);
      const answer = await call(client, place, ids, inTeam(own.id), allowed ? body && {} : body);
      if (allowed) assert.ok(![401, 403].includes(answer.status), `${what}: ${answer.status}`);
      else assert.deepEqual([answer.status, answer.json.code], [403, code], what);
    }
  }
  assert.deepEqual(await snapshot(own), before);
});

test('another team and a former one are 404 for all, like a team that never was', async () => {
  const before = await Promise.all([snapshot(other), snapshot(former)]);
  for (const { name, client } of callers) {
    for (const place of places) {
      const never = await call(
        client,
        place,
        { ...missing, team_id: 987_654 },
        inTeam(987_654),
        bodyFor(place, own),
      );
      assert.equal(never.status, 404, `${name}: ${place.operationId}`);
      for (const team of [other, former]) {
        const answer = await call(client, place, team.ids, inTeam(team.id), bodyFor(place, team));
        assert.deepEqual(
          comparable(answer),
          comparable(never),
          `${name}: ${place.operationId} in ${team.name}`,
        );
      }
    }
  }
  assert.deepEqual(await Promise.all([snapshot(other), snapshot(former)]), before);
});

test('things of other teams are missing in the own one, for all who may do what is asked', async () => {
  const before = await Promise.all([snapshot(other), snapshot(former)]);
  for (const { name, client, may } of callers) {
    for (const place of places) {
      if (!/\{(?!team_id)/.test(place.path) || !may.includes(permissionOf(place))) continue;
      const body = bodyFor(place, own);
      const absent = await call(client, place, { ...missing, team_id: own.id }, inTeam(own.id), body);
      assert.equal(absent.status, 404, `${name}: ${place.operationId}`);
      for (const team of [other, former]) {
        // Ada is a member of all these teams, so a stranger stands for a member of only the others.
        const ids = { ...team.ids, team_id: own.id, user_id: 987_654 };
        const answer = await call(client, place, ids, inTeam(own.id), body);
        assert.deepEqual(
          comparable(answer),
          comparable(absent),
          `${name}: ${place.operationId} of ${team.name}`,
        );
      }
    }
  }
  assert.deepEqual(await Promise.all([snapshot(other), snapshot(former)]), before);
});

test('one foreign id among own ones is 404', async () => {
  for (const place of places) {
    const names = Array.from(place.path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
    for (const name of names.filter((one) => !['team_id', 'user_id', 'attachment_id'].includes(one))) {
      const ids = { ...own.ids, [name]: other.ids[name] ?? 0 };
      const { status } = await call(own.api, place, ids, {}, bodyFor(place, own));
      assert.equal(status, 404, `${place.operationId} with the other's ${name}`);
    }
  }
});

test('lists, searches, counters, events and logs tell nothing of other teams', async () => {
  const paths = ({ ids, domain, address, name }: World) => [
    '/api/teams',
    '/api/domains',
    `/api/domains?domain=${domain.domain}`,
    '/api/accounts',
    `/api/accounts?address=${address}`,
    '/api/messages',
    `/api/messages?q=${name}`,
    `/api/messages?subject=${name}&wait=0`,
    `/api/messages?to=${address}&wait=0&since=0`,
    ...['tokens', 'searches', 'rules', 'failures', 'shares', 'tags', 'refusals'].map(
      (list) => `/api/${list}`,
    ),
    '/api/events?once=1',
    `/api/events?once=1&account_id=${ids.account_id}`,
    `/api/teams/${own.id}/members`,
    `/api/teams/${own.id}/invitations`,
    '/api/audit-log',
    '/api/auth/session',
  ];
  for (const { name, client } of callers) {
    for (const team of [other, former]) {
      for (const path of paths(team)) {
        const { status, body } = await client.get(path, { headers: inTeam(own.id) });
        assert.ok([200, 403].includes(status), `${name}: ${path}`);
        assert.ok(!body.toString().includes(team.name), `${name}: ${path} tells of ${team.name}`);
      }
      const after = `/api/messages?wait=0&after=${team.ids.message_id}`;
      const never = await client.get('/api/messages?wait=0&after=987654', { headers: inTeam(own.id) });
      const theirs = await client.get(after, { headers: inTeam(own.id) });
      assert.deepEqual(comparable(theirs), comparable(never), `${name}: ${after}`);
    }
  }
});

test('waits are not met by the mail of other teams', async () => {
  const readers = callers.filter(({ may }) => may.includes('read'));
  const { cursor } = await ok(own.api.get('/api/messages'));
  const waits = readers.map(({ client }) =>
    client.get(`/api/messages?wait=20&since=${cursor}&count=1&team_id=${own.id}`),
  );
  for (const { address } of [other, former]) await deliverOne(program, { to: address });
  const mine = await deliverOne(program, { to: own.address });
  for (const { json } of await Promise.all(waits))
    assert.deepEqual(
      json.items.map(({ id }: { id: number }) => id),
      [mine],
    );
});

test('streams tell nothing of other teams', async () => {
  const readers = callers.filter(({ may }) => may.includes('read'));
  const all = '?types=message.received,message.deleted,message.updated';
  const streams = await Promise.all(
    readers.map(({ client }) => EventReader.open(client, `${all}&team_id=${own.id}`)),
  );
  const ids = [];
  for (const { api, address } of [other, former]) {
    const id = await deliverOne(program, { to: address });
    await ok(api.patch(`/api/messages/${id}`, { is_read: true }));
    await ok(api.delete(`/api/messages/${id}`));
    ids.push(id);
  }
  const mine = await deliverOne(program, { to: own.address });
  for (const stream of streams) {
    assert.deepEqual(
      (await stream.count(1)).map(({ data }) => data.id),
      [mine],
    );
    await stream[Symbol.asyncDispose]();
  }
});
