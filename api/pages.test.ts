import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import Koa from 'koa';
import type { State } from './context.ts';
import { servePages } from './pages.ts';

test('build instructions replace a page that is not built, and the reference', async (t) => {
  const app = new Koa<State>();
  app.use(servePages(new Map(), ''));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  for (const path of ['/mail/all', '/api/docs']) {
    const page = await fetch(`http://127.0.0.1:${port}${path}`);
    assert.equal(page.status, 503);
    assert.match(await page.text(), /npm run build/);
  }
});
