import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { test } from 'node:test';
import { startCluster } from '#test/support/program/cluster.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';

const requests = 1060;
const limit = 1024;
/** Long enough that a busy machine counts each call in time, but shorter than the window. */
const spreadMs = 20_000;
const key = `sp_${'k'.repeat(43)}`;

test(`of ${requests} requests of one user in ${spreadMs / 1000} s over two API pods exactly ${limit} pass`, {
  timeout: 120_000,
}, async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({
    mongodbUri: mongo.uri,
    smtp: 0,
    settings: {
      SANDPOST_RATE_LIMIT: String(limit),
      // Both processes create the user and key at startup, at the same time. Creating them does not count as a request.
      SANDPOST_BOOTSTRAP_EMAIL: 'limit@example.com',
      SANDPOST_BOOTSTRAP_PASSWORD: 'correct horse',
      SANDPOST_BOOTSTRAP_API_KEY: key,
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const begun = performance.now();
  const answers: Promise<Answer>[] = [];
  for (let n = 0; n < requests; n += 1) {
    const due = begun + (n * spreadMs) / requests;
    if (due > performance.now()) await paced(due - performance.now());
    answers.push(ask(cluster.api[n % 2]?.httpPort ?? 0, agent));
  }
  const all = await Promise.all(answers);
  const seconds = (performance.now() - begun) / 1000;
  agent.destroy();
  const passed = all.filter(({ status }) => status === 200);
  const refused = all.filter(({ status }) => status === 429);
  t.diagnostic(`${passed.length} passed, ${refused.length} were refused, in ${seconds.toFixed(1)} s`);
  const failures = await Promise.all(
    cluster.api.map((pod) => pod.metric('sandpost_rate_limit_failures_total')),
  );
  assert.deepEqual(failures, [0, 0], 'every call was counted');
  assert.ok(seconds < 60, 'too slow: the window moved on');
  assert.equal(passed.length, limit);
  assert.equal(refused.length, requests - limit);
  for (const { headers } of all) assert.equal(headers['ratelimit-limit'], String(limit));
  const left = passed.map(({ headers }) => Number(headers['ratelimit-remaining']));
  assert.deepEqual(
    left.sort((a, b) => b - a),
    Array.from({ length: limit }, (_, index) => limit - 1 - index),
    'each pod counts what the other let pass',
  );
  for (const { headers } of refused) {
    assert.equal(headers['ratelimit-remaining'], '0');
    assert.ok(Number(headers['ratelimit-reset']) >= 1 && Number(headers['ratelimit-reset']) <= 60);
    assert.equal(headers['retry-after'], headers['ratelimit-reset']);
  }
});

type Answer = { status: number; headers: Record<string, string | string[] | undefined> };

function ask(port: number, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: '/api/tokens',
      headers: { 'X-API-KEY': key },
      agent,
    });
    outgoing.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    outgoing.on('error', reject).end();
  });
}
