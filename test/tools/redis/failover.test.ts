import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import { EventReader } from '#test/support/clients/http-events.ts';
import { type Apart, startApart } from '#test/support/program/apart.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import { type BoundServer, bindServer } from '#test/support/stores/bound-server.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';

/** Sends a command to a server, and returns its reply. */
function ask({ port }: BoundServer, ...command: (string | number)[]): string {
  return spawnSync('redis-cli', ['-p', String(port), ...command.map(String)], { encoding: 'utf8' }).stdout;
}

/** Servers with their addresses, and the server whose loss they survive. */
type Servers = { url: string; first: BoundServer; all: BoundServer[] };

/** Starts a primary with a replica, and a Sentinel that replaces the primary. */
async function startSentinel(): Promise<Servers> {
  const { server: first } = await startRedis();
  const { server: second } = await startRedis(() => ['--replicaof', '127.0.0.1', String(first.port)]);
  const sentinel = await bindServer('redis-server', (port, folder) => {
    const file = path.join(folder, 'sentinel.conf');
    const settings = [
      `port ${port}`,
      'bind 127.0.0.1',
      `sentinel monitor main 127.0.0.1 ${first.port} 1`,
      'sentinel down-after-milliseconds main 1000',
      'sentinel failover-timeout main 5000',
    ];
    writeFileSync(file, settings.join('\n'));
    return [file, '--sentinel'];
  });
  await until(() => ask(second, 'info', 'replication').includes('master_link_status:up'));
  await sentinel.start();
  await until(() => ask(sentinel, 'sentinel', 'replicas', 'main').includes(`127.0.0.1:${second.port}`));
  return { url: `redis+sentinel://127.0.0.1:${sentinel.port}/main`, first, all: [first, second, sentinel] };
}

/** Starts a cluster of three primaries. The first has a replica. */
async function startCluster(): Promise<Servers> {
  // The default, the port plus 10,000, may belong to an outgoing connection.
  const busPorts = await Promise.all(Array.from({ length: 4 }, freePort));
  const clustered = (busPort: number) => () =>
    `--cluster-enabled yes --cluster-port ${busPort} --cluster-node-timeout 1000`.split(' ');
  const all = await Promise.all(
    busPorts.map(async (busPort) => (await startRedis(clustered(busPort))).server),
  );
  const [first, second, third, replica] = all;
  assert.ok(first && second && third && replica);
  for (const [index, server] of [first, second, third].entries()) {
    ask(server, 'cluster', 'addslotsrange', index * 5462, Math.min(16383, index * 5462 + 5461));
    ask(server, 'config', 'set', 'cluster-require-full-coverage', 'no');
  }
  for (const [index, { port }] of all.entries())
    ask(first, 'cluster', 'meet', '127.0.0.1', port, busPorts[index] ?? 0);
  const knowsAll = (server: BoundServer) => ask(server, 'cluster', 'info').includes('cluster_known_nodes:4');
  await until(() => all.every(knowsAll));
  const firstId = ask(first, 'cluster', 'myid').trim();
  await until(() => ask(replica, 'cluster', 'replicate', firstId).startsWith('OK'));
  await until(() => ask(replica, 'info', 'replication').includes('master_link_status:up'));
  return { url: `redis+cluster://127.0.0.1:${second.port},127.0.0.1:${first.port}`, first, all };
}

let mongo: TestMongo;
before(async () => {
  mongo = await startMongod();
});
after(() => mongo.close());

for (const [name, start] of [
  ['Sentinels', startSentinel],
  ['a Redis Cluster', startCluster],
] as const) {
  suite(`behind ${name}`, () => {
    let servers: Servers;
    let apart: Apart;
    before(async () => {
      servers = await start();
      apart = await startApart({ SANDPOST_MONGODB_URI: mongo.uri, SANDPOST_REDIS_URL: servers.url });
    });
    after(async () => {
      await apart.stop();
      for (const server of servers.all) await server.remove();
    });

    test('mail is announced at once, before and after a failover, and none is lost meanwhile', async () => {
      const { program, user } = apart;
      await using stream = await EventReader.open(user.api);
      let sent = 0;
      /** Returns the time in ms from an email's 250 to its event on the other process's stream. */
      const delay = async () => {
        await deliverOne(program, { to: user.address });
        sent += 1;
        const begun = performance.now();
        await stream.count(sent);
        return performance.now() - begun;
      };
      await until(async () => (await delay()) < 500);
      await servers.first.end('SIGKILL');
      for (let i = 0; i < 5; i += 1) await delay();
      await until(async () => (await delay()) < 500 && (await delay()) < 500, 120_000);
      const isCounted = async () =>
        (await user.api.get('/api/accounts')).headers['ratelimit-remaining'] !== '4095';
      await until(isCounted);
      const numbers = stream.events.map(({ id }) => Number(id));
      const expected = numbers.map((_, index) => index + 1);
      assert.deepEqual(numbers, expected, 'each once and in order');
    });
  });
}
