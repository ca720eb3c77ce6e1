import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { getRequest, openUnreadSocket } from '#test/support/hostile/requests.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';

const megabyte = 1_048_576;
let long = 0;
const { program, user } = await scene();
const line = `${'x'.repeat(70)}\r\n`;
const raw = Buffer.from(`Subject: long\r\n\r\n${line.repeat((8 * megabyte) / line.length)}`);
long = await deliverOne(program, { to: user.address, raw });

async function reached(): Promise<number> {
  return (await limitsReached(program.opsPorts.api)).get('answers.unreadMs') ?? 0;
}

test('an answer and a stream that are not read for some time are cut; a slow reader is not', async () => {
  const before = await reached();
  const slow = await user.api.open('GET', `/api/messages/${long}/raw`);
  let read = 0;
  slow.on('data', (piece) => {
    read += piece.length;
    slow.pause();
    paced(250).then(() => slow.resume());
  });
  const ended = once(slow, 'close');
  const stream = getRequest('/api/events', user.key, { 'last-event-id': '0' });
  const raw = getRequest(`/api/messages/${long}/raw`, user.key);
  const sockets = await Promise.all([raw, stream].map((bytes) => openUnreadSocket(program.httpPort, bytes)));
  await until(async () => (await reached()) > before, 2 * limits.answers.unreadMs, 500);
  for (const socket of sockets) socket.destroy();
  await ended;
  assert.ok(read > 7 * megabyte && slow.complete);
});

test('a stream that reads late has every event, once and in order', async () => {
  const { cursor } = await ok(user.api.get('/api/messages?limit=1'));
  const reader = await EventReader.open(user.api, '', { 'last-event-id': '0' });
  reader.response.pause();
  for (let mail = 0; mail < 20; mail += 1) await deliver(program, { to: user.address });
  reader.response.resume();
  const events = await reader.count(cursor + 20);
  assert.deepEqual(
    events.map(({ id }) => Number(id)),
    Array.from({ length: cursor + 20 }, (_, at) => at + 1),
  );
  reader.response.destroy();
});
