import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';

/** Address of this machine with a port 80 that no other test has. */
const address = '127.80.0.1';

test('links of a network that the settings name are requested, those that act are not', {
  skip: process.getuid?.() !== 0 && 'port 80 needs root',
}, async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.host}${request.url}`);
    if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
    else response.writeHead(request.url === '/gone' ? 410 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(80, address, resolve));
  const settings = { SANDPOST_OUTBOUND_NETWORKS: '127.80.0.0/16' };
  const mail = await startMailProgram(settings, { 'app.example': { A: [address] } });
  try {
    const text = ['/', '/old', '/gone', '/verify?t=1'].map((path) => `http://app.example${path}`).join('\n');
    const id = await deliverOne(mail.program, { to: mail.user.address, text });
    const { status, json } = await mail.user.api.post(`/api/messages/${id}/checks/links`);
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual(
      json.map((link: { status: number | null; redirects: number }) => [link.status, link.redirects]),
      [
        [200, 0],
        [200, 1],
        [410, 0],
        [null, 0],
      ],
    );
    const requests = ['HEAD /', 'HEAD /old', 'HEAD /new', 'HEAD /gone', 'GET /gone'];
    assert.deepEqual(asked.sort(), requests.map((one) => one.replace(' ', ' app.example')).sort());
  } finally {
    server.closeAllConnections();
    server.close();
    await mail.stop();
  }
});
