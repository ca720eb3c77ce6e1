import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { startProgram } from '#test/support/program/program.ts';

/** Probes' Accept headers: curl, a browser, and Java's HttpURLConnection, which Testcontainers waits with. */
const accepts = [
  '*/*',
  'text/html,application/xhtml+xml',
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
];

test('/readyz on the port of the API answers anybody as the port of the probes does', async () => {
  await using program = await startProgram();
  const visitor = new HttpClient(program);
  const { api } = program.opsPorts;
  const probe = await fetch(`http://127.0.0.1:${api}/readyz`);
  assert.deepEqual([probe.status, await probe.text()], [200, 'ok\n']);
  for (const accept of accepts) {
    const { status, body, headers } = await visitor.get('/readyz', { headers: { accept } });
    assert.deepEqual([status, body.toString()], [200, 'ok\n'], accept);
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-store');
    assert.ok(headers['x-request-id']);
  }
  assert.equal((await visitor.call('HEAD', '/readyz')).status, 200);
  assert.equal((await visitor.get('/readyz?verbose=1')).status, 200);
  assert.equal((await visitor.post('/readyz', {})).status, 404);
  assert.equal((await visitor.get('/readyz/')).status, 404);
});
