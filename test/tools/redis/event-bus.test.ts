import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { createRedisBus } from '#adapters/redis/event-bus.ts';
import type { EventBus, MailEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import { startRedis } from '#test/support/stores/redis-server.ts';

type Bus = EventBus & { close(): Promise<void> };

let redis: Awaited<ReturnType<typeof startRedis>>;
before(async () => {
  redis = await startRedis();
});
after(() => redis.server.remove());

const event = (number: number): MailEvent => ({
  number,
  type: 'message.received',
  messageId: number,
  messageNumber: number,
  accountId: 1,
  mailboxId: 1,
  at: new Date('2026-11-21T10:00:00.123Z'),
  subject: 'Ünïcode \u{1f600}',
});

/** Creates a bus as one process has it, with its received announcements and its log. */
function process(url = redis.url): {
  bus: Bus;
  heard: [Id, number[]][];
  said: string[];
  events: MailEvent[];
} {
  const said: string[] = [];
  const say = (...words: unknown[]) => void said.push(String(words.at(-1)));
  const bus = createRedisBus({ url, installation: 'test', log: { info: say, warn: say } });
  const heard: [Id, number[]][] = [];
  const events: MailEvent[] = [];
  bus.listen((user, list) => {
    heard.push([user, list.map(({ number }) => number)]);
    events.push(...list);
  });
  return { bus, heard, said, events };
}

const ask = (command: string) =>
  spawnSync('redis-cli', ['-p', String(redis.server.port), ...command.split(' ')]);

const ping = 1000;

/** Announces pings until the other bus receives one. From then on, both are connected. */
async function connected(a: ReturnType<typeof process>, b: ReturnType<typeof process>): Promise<void> {
  await until(() => {
    a.bus.announce(ping + 1, [event(0)]);
    b.bus.announce(ping + 2, [event(0)]);
    return hears(b, ping + 1) && hears(a, ping + 2);
  });
}

const hears = ({ heard }: ReturnType<typeof process>, user: Id) => heard.some(([other]) => other === user);
const newsOf = ({ heard }: ReturnType<typeof process>) => heard.filter(([user]) => user < ping);

test('an announcement reaches another process unchanged, and its own process at once, and once', async () => {
  const [a, b] = [process(), process()];
  await connected(a, b);
  a.bus.announce(7, [event(1), event(2)]);
  a.bus.announce(8, [event(1)]);
  a.bus.announce(8, []);
  const wanted = [
    [7, [1, 2]],
    [8, [1]],
  ];
  assert.deepEqual(newsOf(a), wanted, 'in the same tick');
  await until(() => newsOf(b).length === 2);
  assert.deepEqual(newsOf(b), wanted);
  assert.deepEqual(
    b.events.find(({ number }) => number === 2),
    event(2),
  );
  b.bus.announce(9, [event(3)]);
  await until(() => hears(a, 9));
  assert.deepEqual(newsOf(a), [...wanted, [9, [3]]], 'its own came once only');
  await Promise.all([a.bus.close(), b.bus.close()]);
});

test('without Redis the process hears itself; when Redis is back the others hear it again', async () => {
  const [a, b] = [process(), process()];
  await connected(a, b);
  await redis.server.end('SIGKILL');
  await until(() => a.said.length > 0);
  a.heard.length = 0;
  for (let i = 1; i <= 1000; i += 1) a.bus.announce(7, [event(i)]);
  assert.equal(a.heard.filter(([user]) => user === 7).length, 1000);
  await redis.server.start();
  await until(() => {
    a.bus.announce(8, [event(1)]);
    return hears(b, 8);
  });
  assert.equal(a.said.length, 2);
  assert.match(
    a.said[0] ?? '',
    /^Redis is unavailable: .*\. Until it is back, other processes read events from the journal$/,
  );
  assert.equal(a.said[1], 'Redis is available again');
  await Promise.all([a.bus.close(), b.bus.close()]);
});

test('a Redis that was never there harms nothing', async () => {
  const said: string[] = [];
  const say = (...words: unknown[]) => void said.push(String(words.at(-1)));
  const bus = createRedisBus({
    url: 'redis://127.0.0.1:1',
    installation: 'test',
    log: { info: say, warn: say },
  });
  const heard: Id[] = [];
  const stop = bus.listen((user) => heard.push(user));
  bus.announce(1, [event(1)]);
  await until(() => said.length === 1);
  stop();
  bus.announce(2, [event(2)]);
  assert.deepEqual(heard, [1]);
  await bus.close();
});

test('a connection that breaks while it subscribes harms nothing, and the next one subscribes', async () => {
  let subscribed = 0;
  const proxy = createServer((socket) => {
    const server = connect(redis.server.port, '127.0.0.1').on('error', () => {});
    server.pipe(socket.on('error', () => {}));
    socket.on('close', () => server.destroy());
    socket.on('data', (data) => {
      const subscribes = data.includes('subscribe');
      if (subscribes) subscribed += 1;
      if (subscribes && subscribed === 2) socket.destroy();
      else server.write(data);
    });
  });
  const port = await freePort();
  proxy.listen(port, '127.0.0.1');
  const [a, b] = [process(`redis://127.0.0.1:${port}`), process()];
  await connected(a, b);
  ask('client kill type pubsub');
  await until(() => subscribed === 3);
  await until(() => {
    b.bus.announce(7, [event(1)]);
    return hears(a, 7);
  });
  await Promise.all([a.bus.close(), b.bus.close()]);
  proxy.close();
});

test('a process without permission for the channel says so, and subscribes when it has the permission', async () => {
  ask('acl setuser ada on >secret ~* +@all resetchannels');
  const a = process(redis.url.replace('//', '//ada:secret@'));
  await until(() => a.said.length > 0);
  assert.match(a.said[0] ?? '', /^Redis is unavailable: the user in the URL lacks a permission: grant/);
  ask('acl setuser ada allchannels');
  const b = process();
  await connected(a, b);
  assert.deepEqual(a.said.slice(1), ['Redis is available again']);
  await Promise.all([a.bus.close(), b.bus.close()]);
});
