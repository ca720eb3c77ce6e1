import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import Koa from 'koa';
import type { State } from '#api/context.ts';
import { until } from '#test/support/runner/until.ts';
import { beginInTurn } from './begin-in-turn.ts';

/** Works on this thread for `ms` milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('requests of a client that has gone are not run', async (t) => {
  const sent = 300;
  let [arrived, begun, ended] = [0, 0, 0];
  const app = new Koa<State>();
  // The connection is reset on purpose.
  app.silent = true;
  app.use(async (_ctx, next) => {
    arrived += 1;
    await next();
    ended += 1;
  });
  app.use(beginInTurn(() => null));
  app.use(async (ctx) => {
    begun += 1;
    work(6);
    ctx.body = 'ok';
  });
  const server = createServer(app.callback());
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(sent));
  await once(client, 'data');
  client.resetAndDestroy();
  await until(() => ended === sent);
  assert.equal(arrived, sent);
  assert.ok(begun < sent / 3, `${begun} of ${sent} requests were run`);
});
