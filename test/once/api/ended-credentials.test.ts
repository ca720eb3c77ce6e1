import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { shortest } from '#test/support/runner/shortest.ts';
import { until } from '#test/support/runner/until.ts';

const endsWithinMs = 3000;

const program = await programOfAll();

const cookieOf = (answer: { headers: Record<string, string | undefined> }) =>
  (answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';

async function sessionOf(user: User, credentials: object): Promise<string> {
  const answer = await new HttpClient(program).post('/api/auth/login', credentials);
  assert.equal(answer.status, 200, user.email);
  return cookieOf(answer);
}

type Ending = {
  name: string;
  /** Returns the headers of the credential that ends, and of a credential that stays valid. */
  prepare(user: User): Promise<{ ending: Record<string, string>; staying: Record<string, string> }>;
  end(user: User, ending: Record<string, string>): Promise<{ status: number }>;
};

const byPassword = ({ email, password }: User) => ({ email, password });

const endings: Ending[] = [
  {
    name: 'a key that is revoked',
    prepare: async (user) => ({ ending: { 'x-api-key': user.key }, staying: { cookie: user.cookie } }),
    end: (user) => new HttpClient(program, { cookie: user.cookie }).delete(`/api/tokens/${user.tokenId}`),
  },
  {
    name: 'a session of a key that is revoked',
    prepare: async (user) => ({
      ending: { cookie: await sessionOf(user, { api_key: user.key }) },
      staying: { cookie: user.cookie },
    }),
    end: (user) => new HttpClient(program, { cookie: user.cookie }).delete(`/api/tokens/${user.tokenId}`),
  },
  {
    name: 'a session that signs out',
    prepare: async (user) => ({ ending: { cookie: user.cookie }, staying: { 'x-api-key': user.key } }),
    end: (_user, ending) => new HttpClient(program, ending).post('/api/auth/logout'),
  },
  {
    name: 'another session at a new password',
    prepare: async (user) => ({
      ending: { cookie: await sessionOf(user, byPassword(user)) },
      staying: { cookie: user.cookie },
    }),
    end: (user) =>
      new HttpClient(program, { cookie: user.cookie }).post('/api/auth/password', {
        current_password: user.password,
        new_password: 'battery staple',
      }),
  },
];

for (const { name, prepare, end } of endings) {
  test(`${name} sees no mail that came after its end`, async () => {
    const ms = await shortest(endsWithinMs, async () => {
      const user = await createUser(program);
      const { ending, staying } = await prepare(user);
      const clients = [new HttpClient(program, ending), new HttpClient(program, ending)];
      const begin = async (client: HttpClient) => {
        const stream = await EventReader.open(client);
        const wait = client.get('/api/messages?wait=60&count=2');
        return { stream, wait };
      };
      const open = await Promise.all(clients.map(begin));
      await using stayingStream = await EventReader.open(new HttpClient(program, staying));
      await deliverOne(program, { to: user.address, subject: 'before' });
      for (const { stream } of open) await stream.count(1);

      assert.ok((await end(user, ending)).status < 300);
      const endedAt = performance.now();
      for (let index = 0; index < 4; index += 1) {
        await deliverOne(program, { to: user.address, subject: 'after' });
        for (const client of clients) assert.equal((await client.get('/api/messages')).status, 401);
      }
      let lastMs = 0;
      for (const { stream, wait } of open) {
        assert.equal((await wait).status, 401);
        await stream.ended;
        const told = stream.frames.filter(({ event }) => event === 'new-message');
        lastMs = performance.now() - endedAt;
        assert.equal(told.length, 1, 'only the mail from before the end');
      }
      await stayingStream.count(5);
      return lastMs;
    });
    assert.ok(ms < endsWithinMs, `${ms} ms`);
  });

  test(`${name} ends its silent stream and wait`, async () => {
    const ms = await shortest(endsWithinMs, async () => {
      const user = await createUser(program);
      const { ending } = await prepare(user);
      const client = new HttpClient(program, ending);
      await using stream = await EventReader.open(client);
      const remaining = async () =>
        Number((await user.api.get('/api/tokens')).headers['ratelimit-remaining']);
      const before = await remaining();
      const wait = client.get('/api/messages?wait=60');
      // The wait has started when it is counted, in addition to the requests that ask.
      let asked = 0;
      await until(async () => {
        asked += 1;
        return (await remaining()) < before - asked;
      });
      assert.ok((await end(user, ending)).status < 300);
      const endedAt = performance.now();
      assert.equal((await wait).status, 401);
      await stream.ended;
      return performance.now() - endedAt;
    });
    assert.ok(ms < endsWithinMs, `${ms} ms`);
  });
}

test('a user cannot begin sessions without bound', async () => {
  const user = await createUser(program);
  const visitor = new HttpClient(program);
  const statuses = await Promise.all(
    Array.from(
      { length: 120 },
      async () => (await visitor.post('/api/auth/login', { api_key: user.key })).status,
    ),
  );
  assert.ok(statuses.filter((status) => status === 200).length <= 60);
  assert.ok(statuses.every((status) => status === 200 || status === 429));
  await ok(user.api.get('/api/domains'));
});
