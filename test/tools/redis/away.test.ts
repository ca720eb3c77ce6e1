import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { type Apart, startApart } from '#test/support/program/apart.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { until } from '#test/support/runner/until.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';

/** Bound in ms: longer than the interval between reads of the newest numbers, but shorter than twice that interval. */
const withinMs = 3000;

let mongo: TestMongo;
let redis: Awaited<ReturnType<typeof startRedis>>;
let processes: Apart['processes'];
let program: Apart['program'];
let user: Apart['user'];
let stop: Apart['stop'];

before(async () => {
  [mongo, redis] = await Promise.all([startMongod(), startRedis()]);
  const settings = { SANDPOST_MONGODB_URI: mongo.uri, SANDPOST_REDIS_URL: redis.url };
  ({ processes, program, user, stop } = await startApart(settings));
});
after(async () => {
  await stop();
  await redis.server.remove();
  await mongo.close();
});

/** Returns the time in ms from an email's 250 to its event on the other process's stream. */
async function delay(stream: EventReader): Promise<number> {
  const seen = stream.events.length;
  await deliverOne(program, { to: user.address });
  const begun = performance.now();
  await stream.count(seen + 1);
  return performance.now() - begun;
}

test('a mail is announced at once; without Redis from the journal; when Redis is back, at once again', async (t) => {
  await using stream = await EventReader.open(user.api);
  const withRedis = [await delay(stream), await delay(stream), await delay(stream)];
  assert.ok(Math.min(...withRedis) < 500, `${withRedis} ms`);
  await redis.server.end('SIGKILL');
  const without = [await delay(stream), await delay(stream)];
  assert.ok(Math.max(...without) < withinMs, `${without} ms`);
  await redis.server.start();
  await until(async () => (await delay(stream)) < 500);
  const numbers = stream.events.map(({ id }) => Number(id));
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    'each once and in order',
  );
  const rounded = [...withRedis, ...without].map((ms) => Math.round(ms));
  t.diagnostic(
    `ms from the 250 to the event: ${rounded.slice(0, 3)} with Redis, ${rounded.slice(3)} without`,
  );
});

test('without Redis requests pass uncounted, and guesses at a password are counted all the same', async () => {
  await redis.server.end('SIGKILL');
  const visitor = new HttpClient(program);
  const signIn = (password: string) => visitor.post('/api/auth/login', { email: user.email, password });
  assert.equal((await signIn(user.password)).status, 200);
  const { status, headers } = await user.api.get('/api/accounts');
  assert.deepEqual([status, headers['ratelimit-remaining']], [200, '4095']);
  const guesses = [];
  for (let i = 0; i < 12; i += 1) guesses.push((await signIn('wrong horse')).status);
  assert.deepEqual(guesses, [...Array(10).fill(401), 429, 429]);
  assert.ok(processes[0]?.log.some(({ event }) => event === 'rate-limit.failed'));
});
