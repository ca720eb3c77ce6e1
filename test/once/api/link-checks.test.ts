import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { forAllTests, scene } from '#test/support/program/scene.ts';

const zones = { 'private.example': { A: ['10.9.9.9'] }, 'local.example': { A: ['127.0.0.1'] } };
const mail = await forAllTests(startMailProgram({ SANDPOST_OUTBOUND: 'public' }, zones));

const html = [
  '<a href="https://shop.example/verify?t=1">Verify</a>',
  '<a href="https://shop.example/r?t=2">Reset your password</a>',
  '<a href="https://shop.example/l?t=3">Sign in</a>',
  '<a href="https://shop.example/i?t=4">Accept your invitation</a>',
  '<a href="https://shop.example/u?t=5">Unsubscribe</a>',
  '<a href="https://shop.example/%76erify">x</a>',
  '<a href="https://shop.example/log%69n">x</a>',
  '<a href="https://shop.example\\reset">x</a>',
  '<a href="https://shop.example/?action=unsub">x</a>',
  '<a href="https://shop.example/optin?token=1">x</a>',
  '<a href="https://shop.example/delete-account">x</a>',
  '<a href="https://shop.example/orders/cancel/7">x</a>',
  '<a href="https://shop.example/a/7">Approve</a>',
  '<a href="https://shop.example/o?sig=1">x</a>',
  '<a href="http://10.0.0.1/">a</a>',
  '<a href="http://169.254.169.254/latest/meta-data/">b</a>',
  '<a href="http://2130706433/">c</a>',
  '<a href="http://[::ffff:7f00:1]/">d</a>',
  '<a href="http://private.example/">e</a>',
  '<a href="http://local.example/">f</a>',
  '<a href="http://localhost/">g</a>',
  '<a href="http://none.example/">h</a>',
  '<a href="http://8.8.8.8:25/">i</a>',
].join('\n');

const expected: [url: string, error: string][] = [
  ['https://shop.example/verify?t=1', 'Not requested: it verifies or confirms something'],
  ['https://shop.example/r?t=2', 'Not requested: it resets a password'],
  ['https://shop.example/l?t=3', 'Not requested: it signs someone in'],
  ['https://shop.example/i?t=4', 'Not requested: it accepts an invitation'],
  ['https://shop.example/u?t=5', 'Not requested: it unsubscribes someone'],
  ['https://shop.example/%76erify', 'Not requested: it verifies or confirms something'],
  ['https://shop.example/log%69n', 'Not requested: it signs someone in'],
  ['https://shop.example\\reset', 'Not requested: it resets a password'],
  ['https://shop.example/?action=unsub', 'Not requested: it unsubscribes someone'],
  ['https://shop.example/optin?token=1', 'Not requested: it verifies or confirms something'],
  ['https://shop.example/delete-account', 'Not requested: it might perform an action (“delete”)'],
  ['https://shop.example/orders/cancel/7', 'Not requested: it might perform an action (“cancel”)'],
  ['https://shop.example/a/7', 'Not requested: it might perform an action (“approve”)'],
  ['https://shop.example/o?sig=1', 'Not requested: its token may be single-use'],
  ...[
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706433/',
    'http://[::ffff:7f00:1]/',
    'http://private.example/',
    'http://local.example/',
    'http://localhost/',
    'http://none.example/',
  ].map((url): [string, string] => [url, "Not requested: the settings allow none of its host's addresses"]),
  ['http://8.8.8.8:25/', 'Not requested: port 25 is not allowed'],
  ['mailto:u@shop.example', 'Not requested: not a web link'],
];

const send = (body: string) =>
  deliverOne(mail.program, {
    to: mail.user.address,
    raw: `Subject: x\r\nList-Unsubscribe: <mailto:u@shop.example>\r\nContent-Type: text/html\r\n\r\n${body}\r\n`,
  });

test('links that act, and those that lead inside, are listed and not requested', async () => {
  const id = await send(html);
  mail.dns.questions.length = 0;
  const { status, json } = await mail.user.api.post(`/api/messages/${id}/checks/links`);
  assert.equal(status, 200);
  const rows = expected.map(([url, error]) => ({ url, status: null, error, redirects: 0 }));
  assert.deepEqual(
    json.map(({ ms, ...row }: { ms: number }) => {
      assert.ok(Number.isInteger(ms));
      return row;
    }),
    rows,
  );
  const asked = mail.dns.questions.filter((question) => question.includes('shop.example'));
  assert.deepEqual(asked, [], 'no host of a link that acts is looked up');
});

test('at most 100 links are checked, each once', async () => {
  const id = await send(
    Array.from({ length: 120 }, (_, at) => `<a href="http://10.0.0.1/${at % 110}">x</a>`).join('\n'),
  );
  const { json } = await mail.user.api.post(`/api/messages/${id}/checks/links`);
  assert.deepEqual(
    json.map(({ url }: { url: string }) => url),
    Array.from({ length: 100 }, (_, at) => `http://10.0.0.1/${at}`),
  );
});

test('links of a network that the settings name are requested at any port, those that act are not', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
    else response.writeHead(request.url === '/gone' ? 410 : 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.80.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings = { SANDPOST_OUTBOUND_NETWORKS: '127.80.0.0/16' };
  const inside = await startMailProgram(settings, { 'app.example': { A: ['127.80.0.1'] } });
  try {
    const paths = ['/', '/old', '/gone', '/verify?t=1', '/orders/7/delete', '/o?token=1'];
    const text = paths.map((path) => `http://app.example:${port}${path}`).join('\n');
    const id = await deliverOne(inside.program, { to: inside.user.address, text });
    const { status, json } = await inside.user.api.post(`/api/messages/${id}/checks/links`);
    assert.equal(status, 200, JSON.stringify(json));
    assert.deepEqual(
      json.map((link: { status: number | null; redirects: number }) => [link.status, link.redirects]),
      [
        [200, 0],
        [200, 1],
        [410, 0],
        [null, 0],
        [null, 0],
        [null, 0],
      ],
    );
    assert.deepEqual(asked.sort(), ['GET /gone', 'HEAD /', 'HEAD /gone', 'HEAD /new', 'HEAD /old']);
  } finally {
    server.closeAllConnections();
    server.close();
    await inside.stop();
  }
});

test('nothing is requested unless a setting says so', async () => {
  const { program, user } = await scene();
  const id = await deliverOne(program, { to: user.address, text: 'http://10.0.0.1/' });
  const { status, json } = await user.api.post(`/api/messages/${id}/checks/links`);
  assert.deepEqual([status, json.code], [403, 'outbound_disabled']);
});
