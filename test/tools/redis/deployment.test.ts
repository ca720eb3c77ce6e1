import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '#test/support/runner/free-port.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';

const page = readFileSync('docs/deployment.md', 'utf8');
const block = (name: string) => new RegExp(`\`\`\`sh ${name}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

const ports = [8080, 8081, 2525, 2526, 9090, 9091, 9092, 9093];

test('two api and two smtp processes, started and checked as docs/deployment.md says', async () => {
  const mongo = await startMongod();
  const redis = await startRedis();
  let lines = `${block('cluster')}
trap 'kill $(jobs -p); wait' EXIT
for try in $(seq 900); do [ "$(${block('cluster-check').trim()})" = "$(printf 'ok\\nok\\nok\\nok')" ] && echo all ready && exit; sleep 0.1; done`;
  lines = lines.replace(/mongodb:[^']*/, mongo.uri).replace(/redis:\/\/\S*/, redis.url);
  for (const port of ports)
    lines = lines.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), String(await freePort()));
  try {
    const { stdout, stderr } = await promisify(execFile)('bash', ['-c', lines], { timeout: 150_000 });
    assert.match(stdout, /all ready/, `${stderr}${stdout}`);
  } finally {
    await mongo.close();
    await redis.server.remove();
  }
});
