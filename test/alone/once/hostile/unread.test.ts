import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { getRequest, openUnreadSocket } from '#test/support/hostile/requests.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { addAccounts, createUser } from '#test/support/program/user.ts';
import { lasting } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';

const megabyte = 1_048_576;
let long = 0;
const { program, user: victim } = await scene({});
const attacker = await createUser(program, { storage_limit: 1_000_000_000 });
const controls = `${'\u0001'.repeat(70)}\r\n`;
const raw = Buffer.from(`Subject: long\r\n\r\n${controls.repeat((8 * megabyte) / controls.length)}`);
long = await deliverOne(program, { to: attacker.address, raw });
const fat = `Subject: ${'\u0001'.repeat(63_000)}\r\n\r\nhello\r\n`;
const accounts = await addAccounts(attacker, 10);
for (let mail = 0; mail < 21; mail += 1) await deliver(program, { to: accounts, raw: fat });

/** Keeps connections open for `ms` that send these requests and do not read. */
async function deaf(count: number, bytes: string, ms: number): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: count }, () => openUnreadSocket(program.httpPort, bytes)),
  );
  await lasting(ms);
  for (const socket of sockets) socket.destroy();
}

async function reached(limit: string): Promise<number> {
  return (await limitsReached(program.opsPorts.api)).get(limit) ?? 0;
}

const attacks: [string, number, () => string][] = [
  ['long messages', 12, () => getRequest(`/api/messages/${long}`, attacker.key)],
  [
    'long messages, many on a connection',
    5,
    () => getRequest(`/api/messages/${long}`, attacker.key).repeat(20),
  ],
  ['raw messages', 50, () => getRequest(`/api/messages/${long}/raw`, attacker.key)],
  ['long lists', 20, () => getRequest('/api/messages?limit=200', attacker.key).repeat(5)],
  [
    'event streams from the beginning',
    90,
    () => getRequest('/api/events', attacker.key, { 'last-event-id': '0' }),
  ],
];
for (const [what, connections, request] of attacks) {
  test(`${what} that nobody reads harm nobody`, async () => {
    const harm = await measureHarm(program, victim, () => deaf(connections, request(), 1000));
    assertUnharmed(harm);
  });
}

test('unread answers of a user are cut beyond a number of bytes, and answers that are read go on', async () => {
  const before = await reached('answers.unreadBytes');
  const sockets = await Promise.all(
    Array.from({ length: 30 }, () =>
      openUnreadSocket(program.httpPort, getRequest('/api/messages?limit=200', attacker.key).repeat(20)),
    ),
  );
  await until(async () => (await reached('answers.unreadBytes')) > before);
  const answer = await attacker.api.get(`/api/messages/${long}`);
  assert.equal(answer.json.text.length, megabyte);
  for (const socket of sockets) socket.destroy();
});
