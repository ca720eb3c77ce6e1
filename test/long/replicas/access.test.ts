import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { limits } from '#core/limits.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { type Cluster, startCluster } from '#test/support/program/cluster.ts';
import type { Pod } from '#test/support/program/pod.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { openLink, share } from '#test/support/program/shares.ts';
import { createTeam, join, keyOf, type SharedTeam, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { shortest } from '#test/support/runner/shortest.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';

let mongo: TestMongo;
let cluster: Cluster;
let first: Pod;
let second: Pod;
let smtp: Pod;
let store: Store;
let ada: User;
before(async () => {
  mongo = await startMongod();
  cluster = await startCluster({ api: 2, smtp: 1, mongodbUri: mongo.uri });
  const [one, two] = cluster.api;
  const [mail] = cluster.smtp;
  assert.ok(one && two && mail);
  [first, second, smtp] = [one, two, mail];
  store = withPeople(await openMongoStore(mongo));
  ada = await createUser(first);
});
after(async () => {
  await store?.close();
  await cluster?.[Symbol.asyncDispose]();
  await mongo?.close();
});

/** Time within which access must end, with a margin for a busy machine to notice. */
const endsWithinMs = limits.access.credentialEndMs + 1000;

/** Ways in which access ends. Each resolves when it is over. */
const ends: Record<string, (team: SharedTeam, user: User) => Promise<unknown>> = {
  'a member is removed': ({ id, api }, user) => ok(api.delete(`/api/teams/${id}/members/${user.id}`)),
  'a team is deleted': ({ id, api }) => ok(api.delete(`/api/teams/${id}`)),
  'a user is disabled': (_, user) => store.users.setDisabled(user.id, new Date()),
  'a user is removed': (_, user) => store.users.remove(user.id, new Date()),
};

/** Signs in with a key. */
async function sessionByKey(pod: Pod, key: string): Promise<string> {
  const signedIn = await new HttpClient(pod).post('/api/auth/login', { api_key: key });
  return (signedIn.headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

let teams = 0;
const newTeam = () => {
  teams += 1;
  return createTeam(first, ada, `team${teams}`);
};

/** Opens a stream and a wait with each kind of credential on each pod. */
async function follow(team: SharedTeam, user: User) {
  const { key } = await keyOf(first, sessionOf(first, user, team.id));
  const cookie = await sessionByKey(second, key);
  const clients = [first, second].flatMap((pod) => [
    sessionOf(pod, user, team.id),
    new HttpClient(pod, { 'x-api-key': key }),
    new HttpClient(pod, { cookie }),
  ]);
  const { cursor } = await ok(team.api.get('/api/messages'));
  const waits = clients.map((client) => client.get(`/api/messages?wait=60&since=${cursor}`));
  const streams = await Promise.all(clients.map((client) => EventReader.open(client)));
  return { clients, waits, streams };
}

for (const [name, end] of Object.entries(ends)) {
  test(`${name}: all streams, waits and sessions end on each pod, and tell of no later mail`, async (t) => {
    const tookMs = await shortest(endsWithinMs, async () => {
      const user = await createUser(second);
      const team = await newTeam();
      await join(first, team, user, 'member');
      const { clients, waits, streams } = await follow(team, user);
      const known = await deliverOne(smtp, { to: team.address, subject: 'before' });
      await Promise.all(streams.map((stream) => stream.count(1)));
      for (const { json } of await Promise.all(waits)) assert.equal(json.items[0].id, known);
      const { cursor } = await ok(team.api.get('/api/messages'));
      const later = clients.map((client) => client.get(`/api/messages?wait=60&since=${cursor}`));

      await end(team, user);
      const over = performance.now();
      // A deleted team may refuse it.
      const sending = deliverOne(smtp, { to: team.address, subject: 'after' }).catch(() => 0);
      const statuses = await Promise.all(clients.map((client) => client.get('/api/domains')));
      for (const { status } of statuses) assert.ok([401, 404].includes(status), `a new request: ${status}`);
      const answers = await Promise.all(later);
      await Promise.all(streams.map((stream) => stream.ended));
      const ms = performance.now() - over;
      await sending;
      for (const { status, body } of answers) {
        assert.ok([401, 404].includes(status), `a wait: ${status}`);
        assert.ok(!body.toString().includes('after'));
      }
      for (const { events } of streams)
        assert.deepEqual(
          events.map(({ data }) => data.id),
          [known],
        );
      return ms;
    });
    t.diagnostic(`ended within ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < endsWithinMs, `${tookMs} ms`);
  });
}

test('without mail, they end as soon', async (t) => {
  const endQuietly = async ([name, end]: [string, (typeof ends)[string]]) => {
    const tookMs = await shortest(endsWithinMs, async () => {
      const user = await createUser(second);
      const team = await newTeam();
      await join(first, team, user, 'member');
      const { waits, streams } = await follow(team, user);
      await end?.(team, user);
      const over = performance.now();
      const answers = await Promise.all(waits);
      await Promise.all(streams.map((stream) => stream.ended));
      const ms = performance.now() - over;
      // A user's session continues without the team.
      const ofSession = name.startsWith('a user') ? 401 : 404;
      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses, [ofSession, 401, 401, ofSession, 401, 401], name);
      return ms;
    });
    t.diagnostic(`${name}: ended within ${Math.round(tookMs)} ms`);
    assert.ok(tookMs < endsWithinMs, `${name}: ${tookMs} ms`);
  };
  await Promise.all(Object.entries(ends).map(endQuietly));
});

for (const [name, end] of Object.entries({
  ...ends,
  'the link is revoked': ({ api }: SharedTeam, _: User, link: number) =>
    ok(api.delete(`/api/shares/${link}`)),
  'the team forbids links': ({ id, api }: SharedTeam) =>
    ok(api.patch(`/api/teams/${id}`, { allows_shares: false })),
}))
  test(`${name}: a share link is refused at its next request on another pod`, async () => {
    const user = await createUser(second);
    const team = await newTeam();
    await join(first, team, user, 'member');
    const link = await share(sessionOf(first, user, team.id), { account_id: team.account.id });
    assert.equal((await openLink(second, link.path)).status, 200);
    await end(team, user, link.id);
    assert.equal((await openLink(second, link.path)).status, 404);
  });

test('a lowered role counts at the next request on each pod, and streams go on', async () => {
  const user = await createUser(second);
  const team = await createTeam(first, ada, 'lowered');
  await join(first, team, user, 'owner');
  const { clients, waits, streams } = await follow(team, user);
  for (const role of ['member', 'viewer'] as const) {
    await ok(team.api.patch(`/api/teams/${team.id}/members/${user.id}`, { role }));
    for (const client of clients) {
      assert.equal((await client.get('/api/audit-log')).json.code, 'forbidden_role', role);
      assert.equal((await client.post('/api/domains', {})).status, role === 'member' ? 422 : 403, role);
    }
  }
  const id = await deliverOne(smtp, { to: team.address });
  for (const stream of streams) {
    assert.equal((await stream.count(1))[0]?.data.id, id);
    await stream[Symbol.asyncDispose]();
  }
  for (const { json } of await Promise.all(waits)) assert.equal(json.items[0].id, id);
});
