import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, BlockList, connect } from 'node:net';
import type { Writable } from 'node:stream';
import { mock, test } from 'node:test';
import type { Ctx } from '#api/context.ts';
import { createHttpServer } from '#api/http-server.ts';
import type { Services } from '#setup/services.ts';
import { openSocket } from './event-sockets.ts';

const handshake =
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

/** Opens a socket over a real connection to a client that reads nothing. */
async function unread() {
  const closing = new AbortController();
  const { promise, resolve } = Promise.withResolvers<Writable | null>();
  const services = {
    config: { trustedProxies: new BlockList() },
    metrics: { limitReached() {} },
  } as unknown as Services;
  const server = createHttpServer(
    (req, res) => resolve(openSocket({ req, res } as Ctx, closing.signal)),
    services,
    () => true,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  client.write(handshake);
  const stream = await promise;
  assert.ok(stream !== null);
  for (let count = 0; count < 32; count += 1) stream.write(Buffer.alloc(1024 * 1024, 'x'));
  const stop = () => {
    client.destroy();
    server.close();
  };
  return { closing, stream, stop };
}

test('what a client has not taken counts as unread, and a client that answers no ping is gone', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] });
  t.after(() => mock.timers.reset());
  const { stream, stop } = await unread();
  await new Promise(setImmediate);
  assert.ok(stream.writableNeedDrain && stream.writableLength > 8 * 1024 * 1024);
  mock.timers.tick(30_000);
  assert.equal(stream.destroyed, false);
  const closed = once(stream, 'close');
  mock.timers.tick(30_000);
  await closed;
  stop();
});

test('a close of the API ends a socket whose client takes nothing', async (t) => {
  const { stream, closing, stop } = await unread();
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  closing.abort();
  stream.end();
  const closed = once(stream, 'close');
  mock.timers.tick(5_000);
  await closed;
  stop();
});
