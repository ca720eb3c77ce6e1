import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { closeRedis, connectRedis } from '#adapters/redis/connection.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';

const reply = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`;

test('a failover that a Sentinel announces during an attempt to connect does not end the attempts', async () => {
  const { server: primary } = await startRedis();
  let asked = 0;
  let subscriber: Socket | undefined;
  /** Answers a command. Before it names the primary for the second time, announces a failover, and waits for the effect. */
  const answer = async (command: string, socket: Socket): Promise<string> => {
    if (/hello/i.test(command)) return '-NOPROTO\r\n';
    if (command.includes('sentinels')) return '*0\r\n';
    if (command.includes('subscribe')) {
      subscriber = socket;
      return reply('subscribe', '+switch-master', '1');
    }
    if (!command.includes('get-master-addr-by-name')) return '+OK\r\n';
    asked += 1;
    if (asked === 2 && subscriber) {
      subscriber.write(reply('message', '+switch-master', 'main'));
      await once(subscriber, 'close');
    }
    return reply('127.0.0.1', String(primary.port));
  };
  const port = await freePort();
  const sentinel = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', async (data) => {
      for (const command of String(data).split(/^(?=\*)/m)) socket.write(await answer(command, socket));
    });
  }).listen(port, '127.0.0.1');
  const changes: string[] = [];
  const client = connectRedis(`redis+sentinel://127.0.0.1:${port}/main`, {
    onAway: () => changes.push('away'),
    onBack: () => changes.push('back'),
  });
  try {
    await until(() => client.status === 'ready' && subscriber !== undefined);
    spawnSync('redis-cli', ['-p', String(primary.port), 'client', 'kill', 'type', 'normal']);
    await until(() => changes.includes('back'), 10_000);
    assert.deepEqual(changes, ['away', 'back']);
  } finally {
    closeRedis(client);
    sentinel.close();
    await primary.remove();
  }
});
