import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { inPage, openContext } from '#test/once/web/support/browser.ts';

const api: Record<string, object> = {
  '/api/accounts': { items: [{ address: '*@app.test', is_catch_all: true }], pagination: { total: 1 } },
  '/api/messages': { items: [{ id: 1 }], cursor: 0, pagination: { total: 1 } },
  '/api/messages/1': { id: 1, subject: 'Welcome', codes: [{ value: '493817' }] },
};

test('a browser runs the client as it is, on a page of the same origin', inPage, async (t) => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://server');
    const answer = api[pathname];
    const isModule = pathname.endsWith('.js');
    const type = answer ? 'application/json' : isModule ? 'text/javascript' : 'text/html';
    response.setHeader('Content-Type', type);
    if (answer) response.end(JSON.stringify(answer));
    else response.end(isModule ? readFileSync(path.join('clients/javascript', path.basename(pathname))) : '');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using context = await openContext();
  const page = await context.newPage();
  await page.goto(url);
  const [address, code] = await page.evaluate(async (url) => {
    const name = '/index.js';
    const { sandpost } = await import(name);
    const inbox = await sandpost({ url }).inbox('browser');
    return [inbox.address, (await inbox.wait()).code()];
  }, url);
  assert.match(address, /^browser-[0-9a-f]{10}@app\.test$/);
  assert.equal(code, '493817');
});
