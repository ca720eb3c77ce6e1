import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { createHttpServer } from './http-server.ts';

test('no request is parsed behind the one that closes its connection', async () => {
  const server = createHttpServer(() => {}, { config: { trustedProxies: null }, metrics: createMetrics() });
  let parsed = 0;
  server.on('request', () => {
    parsed += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => client.destroy());
  client.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000));
  await once(client, 'close');
  server.close();
  assert.equal(parsed, limits.http.requestsPerConnection + 1);
});
