import assert from 'node:assert/strict';
import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongod();
});
after(() => mongo.close());

test('a read on a connection that has just ended is made on another', { timeout: 20_000 }, async () => {
  const sockets: Socket[] = [];
  const collect = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  diagnostics.subscribe('net.client.socket', collect);
  const store = await openMongoStore(mongo);
  diagnostics.unsubscribe('net.client.socket', collect);
  try {
    assert.equal(await store.deliveries.lookUp('missing.test', []), null);
    // The driver learns this from the event `close`, which follows the start of the read.
    for (const socket of sockets) socket.destroy();
    assert.equal(await store.deliveries.lookUp('missing.test', []), null);
    for (const socket of sockets) assert.ok(socket.closed);
  } finally {
    await store.close();
  }
});
