import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Koa from 'koa';
import type { State } from './context.ts';
import { servePages } from './pages.ts';

test('build instructions replace a page that is not built, and the reference is served', async () => {
  const app = new Koa<State>();
  app.use(servePages(new Map()));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const page = await fetch(`http://127.0.0.1:${port}/mail/all`);
  assert.equal(page.status, 503);
  assert.match(await page.text(), /npm run build/);
  assert.equal((await fetch(`http://127.0.0.1:${port}/api/docs`)).status, 200);
  server.close();
  server.closeAllConnections();
});
