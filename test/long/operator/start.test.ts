import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { writeKubeconfig } from '#test/support/kubernetes/api-server.ts';
import { startProcess } from '#test/support/program/process.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { startRedis, withoutRedis } from '#test/support/stores/redis-server.ts';

const run = promisify(execFile);
const cluster = {
  SANDPOST_MONGODB_URI: 'mongodb://127.0.0.1:9/x',
  SANDPOST_REDIS_URL: 'redis://127.0.0.1:9',
};

const refusals: [string, Record<string, string>, RegExp][] = [
  ['no cluster store', {}, /sandpost operator needs SANDPOST_MONGODB_URI and SANDPOST_REDIS_URL/],
  [
    'a malformed namespace',
    { ...cluster, SANDPOST_WATCH_NAMESPACES: 'qa,Not One' },
    /SANDPOST_WATCH_NAMESPACES: "Not One" is not a namespace/,
  ],
  [
    'an address without a port',
    { ...cluster, SANDPOST_CLIENT_SMTP: 'smtp.mail.svc' },
    /SANDPOST_CLIENT_SMTP: /,
  ],
];
for (const [name, settings, sentence] of refusals) {
  test(`${name}: the start fails with one line that gives the reason`, async () => {
    const env = { PATH: process.env.PATH, ...settings };
    await assert.rejects(run(process.execPath, ['sandpost.ts', 'operator'], { env }), (error: Error) => {
      assert.ok('stderr' in error && 'code' in error);
      assert.match(String(error.stderr), sentence);
      assert.equal(String(error.stderr).trim().split('\n').length, 1);
      return error.code === 2;
    });
  });
}

test('without a Kubernetes API the operator is live, and not ready with a reason', {
  skip: withoutRedis(),
}, async () => {
  const [mongo, redis] = await Promise.all([startMongod(), startRedis()]);
  const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-test-'));
  const kubeconfig = await writeKubeconfig(`${folder}/kubeconfig`, { url: 'http://127.0.0.1:9', token: 'x' });
  const operator = await startProcess('operator', {
    SANDPOST_MONGODB_URI: mongo.uri,
    SANDPOST_REDIS_URL: redis.url,
    KUBECONFIG: kubeconfig,
  });
  try {
    const probe = (name: string) => fetch(`http://127.0.0.1:${operator.ports.ops}/${name}`);
    const readiness = await probe('readyz');
    assert.equal(readiness.status, 503);
    assert.match(await readiness.text(), /operator has not listed all resources/);
    assert.equal((await probe('livez')).status, 200);
    assert.equal(await operator.stop(), 0, 'an orderly exit');
  } finally {
    await operator.kill();
    await Promise.all([redis.server.remove(), mongo.close(), rm(folder, { recursive: true })]);
  }
});
