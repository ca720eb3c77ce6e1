import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { openSocket } from '#test/support/hostile/raw-request.ts';
import { scene } from '#test/support/program/scene.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: victim } = await scene({});
const { connectionsPerAddress } = limits.http;

test('an address has a bound of connections, and others are served beside it', async () => {
  const harm = await measureHarm(program, victim, async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < connectionsPerAddress + 50; count += 1)
      sockets.push(await openSocket(program));
    const open = () => sockets.filter((socket) => !socket.closed && !socket.destroyed).length;
    await until(() => open() <= connectionsPerAddress);
    assert.equal(open(), connectionsPerAddress);
    // Heads that never end.
    for (const socket of sockets)
      if (!socket.destroyed) socket.write(`GET / HTTP/1.1\r\nX: ${'x'.repeat(8000)}`);
    // A closed connection frees a slot for another.
    sockets.find((socket) => !socket.destroyed)?.destroy();
    await until(async () => {
      const next = await openSocket(program);
      next.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n');
      const answered = await new Promise<boolean>((resolve) => {
        next.once('data', () => resolve(true)).once('close', () => resolve(false));
      });
      next.destroy();
      return answered;
    });
    for (const socket of sockets) socket.destroy();
  });
  assertUnharmed(harm);
});

test('connections that come and go, with and without a request, harm nobody', async () => {
  const harm = await measureHarm(program, victim, async () => {
    for (let round = 0; round < 20; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(program)));
      for (const [index, socket] of sockets.entries()) {
        if (index % 2 === 0)
          socket.write('POST /api/domains HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{');
        socket.destroy();
      }
    }
  });
  assertUnharmed(harm);
});

test('requests that are sent before their answers are bounded, and harm nobody', async () => {
  const requests = ['/api/health', '/api/domains', '/', '/nothing'].map((path) =>
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(1000)),
  );
  const harm = await measureHarm(program, victim, async () => {
    for (let round = 0; round < 20; round += 1) {
      const socket = await openSocket(program);
      socket.write(requests[round % requests.length] ?? '');
      await once(socket.resume(), 'close');
    }
  });
  assertUnharmed(harm);
});
